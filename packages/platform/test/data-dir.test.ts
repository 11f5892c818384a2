// The folder of the server in `SVC_DATA_DIR`, for every command that uses the database.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startProcess } from './platform-process.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-data-dir-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command in an empty folder. Returns what it printed. */
function run(cwd: string, args: readonly string[], environment: Record<string, string>): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    ...{
      cwd,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: join(cwd, 'compiled'),
        ...environment,
      },
    },
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('every command uses the folder of SVC_DATA_DIR, and --data-dir has priority', (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const target = join(folder, 'backups');
  mkdirSync(target);
  const settings = { SVC_DATA_DIR: data };
  run(folder, ['migrate'], settings);
  assert.ok(existsSync(join(data, 'platform.sqlite')));
  assert.match(run(folder, ['check'], settings), /^Checked 0 projects/);
  assert.equal(run(folder, ['admin', 'user', 'list', '--json'], settings), '');
  assert.match(run(folder, ['backup', target], settings), /^Backed up 0 files/);
  const other = { SVC_DATA_DIR: join(folder, 'restored') };
  assert.match(run(folder, ['restore', target], other), /^Restored /);
  run(folder, ['check', '--data-dir', join(folder, 'restored')], { SVC_DATA_DIR: '/nowhere' });
  assert.ok(!existsSync(join(folder, 'svc-data')));
});

test('a server uses --data-dir before SVC_DATA_DIR', async (t) => {
  const folder = newFolder(t);
  const [option, setting] = [join(folder, 'option'), join(folder, 'setting')];
  const server = await startProcess(option, { SVC_DATA_DIR: setting });
  assert.equal(await server.end(), 0);
  assert.deepEqual([existsSync(option), existsSync(setting)], [true, false]);
});
