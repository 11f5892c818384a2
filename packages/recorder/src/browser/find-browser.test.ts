import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RecordError } from '../record-error.ts';
import { findBrowser } from './find-browser.ts';

function programs(t: TestContext, ...paths: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recorder-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
    chmodSync(join(folder, path), 0o755);
  }
  return folder;
}

test('finds Chrome before Chromium and Edge on the PATH', (t) => {
  const folder = programs(t, 'one/microsoft-edge', 'one/chromium', 'two/google-chrome');
  const PATH = `${folder}/one:${folder}/two`;
  const find = (path: string) => findBrowser(undefined, { platform: 'linux', env: { PATH: path } });
  assert.equal(find(PATH), `${folder}/two/google-chrome`);
  assert.equal(find(`${folder}/one`), `${folder}/one/chromium`);
});

test('finds an application of macOS', (t) => {
  const app = 'Applications/Chromium.app/Contents/MacOS/Chromium';
  const folder = programs(t, app);
  const env = { HOME: folder, PATH: '' };
  assert.equal(findBrowser(undefined, { platform: 'darwin', env }), join(folder, app));
});

test('uses the named program, also by its name on the PATH', (t) => {
  const folder = programs(t, 'brave');
  const machine = { platform: 'linux', env: { PATH: folder } } as const;
  assert.equal(findBrowser(`${folder}/brave`, machine), `${folder}/brave`);
  assert.equal(findBrowser('brave', machine), `${folder}/brave`);
});

test('SVC_BROWSER names the program, or that none is used; an option comes first', (t) => {
  const folder = programs(t, 'chromium', 'brave');
  const find = (SVC_BROWSER: string, option?: string) =>
    findBrowser(option, { platform: 'linux', env: { PATH: folder, SVC_BROWSER } });
  assert.equal(find('brave'), `${folder}/brave`);
  assert.equal(find(''), `${folder}/chromium`);
  assert.equal(find('none', 'chromium'), `${folder}/chromium`);
  assert.throws(() => find('none'), {
    code: 'browser_not_found',
    message: /SVC_BROWSER is "none"/,
  });
  assert.throws(() => find('missing'), { code: 'browser_not_found', message: /"missing"/ });
});

test('a missing browser, a folder and a file that cannot be run are explained', (t) => {
  const folder = programs(t, 'plain');
  chmodSync(join(folder, 'plain'), 0o644);
  const machine = { platform: 'linux', env: { PATH: folder } } as const;
  const isNotFound = (error: unknown): boolean =>
    error instanceof RecordError && error.code === 'browser_not_found' && error.hint !== null;
  assert.throws(() => findBrowser(undefined, machine), isNotFound);
  assert.throws(() => findBrowser(folder, machine), isNotFound);
  assert.throws(() => findBrowser('missing', machine), isNotFound);
});
