import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheName, isOutdated, requestedPath } from './site-cache.ts';

const SCOPE = 'https://host.example/tools/viewer/';
const FILES = ['', 'assets/viewer-1.js', 'manifest.webmanifest'].map((path) => ({
  path,
  integrity: 'sha256-',
}));

test('only caches of other versions of the same site are outdated', () => {
  const current = cacheName(SCOPE, '2');
  const outdated = (name: string): boolean => isOutdated(name, SCOPE, '2');
  assert.equal(outdated(current), false);
  assert.equal(outdated(cacheName(SCOPE, '1')), true);
  assert.equal(outdated(cacheName(SCOPE, '')), true);
  for (const other of ['https://host.example/tools/', `${SCOPE}old/`, 'https://host.example/']) {
    assert.equal(outdated(cacheName(other, '1')), false, other);
  }
  assert.equal(outdated('images'), false);
});

test('the page answers at the address of the folder and as index.html, with any query and fragment', () => {
  const path = (rest: string): string | null => requestedPath(SCOPE + rest, SCOPE, FILES);
  for (const rest of ['', 'index.html', '?a=/b', 'index.html?a#view=frames', '#view=frames']) {
    assert.equal(path(rest), '', rest);
  }
  assert.equal(path('assets/viewer-1.js'), 'assets/viewer-1.js');
});

test('an address outside of the site, or of no file of this version, is left to the network', () => {
  for (const address of [
    `${SCOPE}assets/viewer-2.js`,
    `${SCOPE}assets/`,
    `${SCOPE}other/index.html`,
    'https://host.example/tools/viewer',
    'https://host.example/tools/',
    'https://other.example/tools/viewer/',
    'http://host.example/tools/viewer/',
  ]) {
    assert.equal(requestedPath(address, SCOPE, FILES), null, address);
  }
});
