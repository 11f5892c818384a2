// How the program that root runs is installed: owned by root, writable by no other user, or not at
// all.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { InstallError, installHelper } from '../src/probes/install-helper.ts';
import { temporaryFolder } from './harness.ts';

const of = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs with an empty /usr/local, and with a umask that gives others no rights by default. */
const PROGRAM = `
  import assert from 'node:assert/strict';
  import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
  import { installHelper } from ${of('../src/probes/install-helper.ts')};
  import { readProbePrograms } from ${of('../src/probes/probe-programs.ts')};
  const folder = '/usr/local/libexec';
  const path = folder + '/svc-probe';
  const refused = (message) => assert.throws(() => installHelper(), { code: 'unsafe_folder', message });
  const assertInstalled = () => {
    const { uid, gid, mode } = statSync(path);
    assert.deepEqual([uid, gid, mode & 0o7777], [0, 0, 0o755]);
    assert.equal(readFileSync(path, 'utf8'), readProbePrograms().helper.text);
    assert.deepEqual(readdirSync(folder), ['svc-probe']);
  };
  process.umask(0o077);
  chmodSync('/usr/local', 0o757);
  refused('Cannot install: users other than root can write to /usr/local.');
  assert.ok(!existsSync(path));
  chmodSync('/usr/local', 0o755);
  const installed = installHelper();
  assert.equal(installed.path, path);
  assert.equal(installed.sudoers('kim'), 'kim ALL=(root) NOPASSWD: ' + path);
  assert.equal(statSync(folder).mode & 0o777, 0o755);
  assertInstalled();
  writeFileSync(path, 'of another version');
  writeFileSync(path + '.new', 'left by one that was interrupted');
  chmodSync(path, 0o777);
  chownSync(path, 65534, 65534);
  installHelper();
  assertInstalled();
  writeFileSync(path, 'the old one');
  chownSync(folder, 65534, 0);
  refused('Cannot install: users other than root can write to /usr/local/libexec.');
  assert.equal(readFileSync(path, 'utf8'), 'the old one');
  console.log('all held');`;

test('installHelper: the file and every parent folder belong to root, even if it replaces another file', {
  skip: process.getuid?.() !== 0 && 'kernel: only root may own a program',
}, (t) => {
  const inNamespace = ['--mount', '--propagation', 'private', '--', 'sh', '-c'];
  const mount = 'mount -t tmpfs -o mode=755 none /usr/local';
  if (spawnSync('unshare', [...inNamespace, mount]).status !== 0) {
    t.skip('kernel: no private mount namespace');
    return;
  }
  const node = [process.execPath, '--input-type=module', '--eval', PROGRAM];
  const run = spawnSync('unshare', [...inNamespace, `${mount} && exec "$0" "$@"`, ...node], {
    encoding: 'utf8',
    timeout: 90_000,
  });
  assert.deepEqual([run.status, run.stdout], [0, 'all held\n'], run.stderr);
});

test('installHelper: only root can install', (t) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'bin', 'svc-probe');
  t.mock.method(process as { geteuid(): number }, 'geteuid', () => 1_000);
  assert.throws(
    () => installHelper(undefined, path),
    (error) => error instanceof InstallError && error.code === 'not_root',
  );
  assert.ok(!existsSync(join(folder.path, 'bin')));
});
