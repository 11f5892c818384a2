// The data of a single executable, compared with what Node itself writes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type SeaContents, seaBlob } from './sea-blob.ts';

/** What Node writes for contents with one file. The order of several is Node's own. */
function writtenByNode(folder: string, { main, mainName, files }: SeaContents): Buffer {
  writeFileSync(join(folder, mainName), main);
  const assets: Record<string, string> = {};
  for (const [name, bytes] of files) {
    assets[name] = join(folder, 'file');
    writeFileSync(join(folder, 'file'), bytes);
  }
  const config = {
    ...{ main: mainName, output: 'blob', disableExperimentalSEAWarning: true, assets },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const made = spawnSync(process.execPath, ['--experimental-sea-config', 'config.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(made.status, 0, made.stderr);
  return readFileSync(join(folder, 'blob'));
}

test('seaBlob writes what Node writes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-blob-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of [
    ['a/ä.txt', Buffer.from('bytes')],
    ['empty', Buffer.alloc(0)],
  ] as const) {
    const contents = {
      main: 'console.log("ü")\n',
      mainName: 'main.js',
      files: new Map([file]),
    };
    assert.deepEqual(
      seaBlob(contents, process.versions.node),
      writtenByNode(folder, contents),
      file[0],
    );
  }
});

test('seaBlob states the format of the script from Node 25.7 on', () => {
  const contents = { main: '', mainName: '', files: new Map() };
  const bytes = (version: string): number => seaBlob(contents, version).length;
  assert.equal(bytes('25.6.1'), bytes('24.21.0'));
  assert.equal(bytes('25.7.0'), bytes('24.21.0') + 1);
  assert.equal(bytes('26.0.0'), bytes('25.7.0'));
});
