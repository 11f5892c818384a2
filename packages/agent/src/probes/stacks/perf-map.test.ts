import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PerfMap } from './perf-map.ts';

const OWN = [process.getuid?.() ?? 0];

function temporaryMap(): Disposable & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-map-'));
  const remove = () => rmSync(folder, { recursive: true });
  return { path: join(folder, 'perf-1.map'), [Symbol.dispose]: remove };
}

test('PerfMap reads what is appended, even half a line, and the last name wins', () => {
  using file = temporaryMap();
  const map = new PerfMap(['/nowhere/perf-1.map', file.path], OWN);
  map.refresh();
  assert.equal(map.nameAt(0x1000), null);
  writeFileSync(file.path, '1000 100 JS:~slow a.js:1:1\n0x2000 0x10 late');
  map.refresh();
  assert.equal(map.nameAt(0x10ff), 'JS:~slow a.js:1:1');
  assert.equal(map.nameAt(0x1100), null);
  assert.equal(map.nameAt(0x2000), null);
  appendFileSync(file.path, '_name\n1080 20 new code\nnot a line\n');
  map.refresh();
  assert.deepEqual(
    [0x1000, 0x1090, 0x10a0, 0x2000, 0x200f, 0x2010].map((at) => map.nameAt(at)),
    ['JS:~slow a.js:1:1', 'new code', 'JS:~slow a.js:1:1', 'late_name', 'late_name', null],
  );
  appendFileSync(file.path, '1000 100 reported again\n');
  map.refresh();
  assert.equal(map.nameAt(0x1090), 'reported again');
  truncateSync(file.path);
  map.refresh();
  assert.equal(map.nameAt(0x2000), 'late_name');
  map.release();
});

test('PerfMap does not read a link, a pipe, or a file of another user', () => {
  using file = temporaryMap();
  using pipe = temporaryMap();
  using other = temporaryMap();
  writeFileSync(file.path, '1000 100 secret\n');
  const link = `${file.path}.link`;
  symlinkSync(file.path, link);
  assert.equal(spawnSync('mkfifo', [pipe.path]).status, 0);
  writeFileSync(other.path, '1000 100 theirs\n');
  for (const [path, owners] of [
    [link, OWN],
    [pipe.path, OWN],
    [other.path, [4_242_424]],
  ] as const) {
    const map = new PerfMap([path], owners);
    map.refresh();
    assert.equal(map.nameAt(0x1000), null);
    map.release();
  }
});
