// `svc probes install` as root, in its own mount namespace, so that it does not change this machine.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bareEnvironment, SVC, temporaryFolder } from './svc.ts';

const HELPER = join(import.meta.dirname, '../../agent/probe-programs/svc-probe');

/** Runs a shell line with an empty /usr/local. Null if the kernel refuses the namespace. */
function inNamespace(t: TestContext, line: string, env: Readonly<Record<string, string>>) {
  const start = ['--mount', '--propagation', 'private', '--', 'sh', '-c'];
  const mount = 'mount -t tmpfs -o mode=755 none /usr/local';
  if (spawnSync('unshare', [...start, mount]).status !== 0) {
    t.skip('kernel: no private mount namespace');
    return null;
  }
  const home = temporaryFolder(t);
  return spawnSync('unshare', [...start, `${mount} && ${line}`, 'sh', process.execPath, SVC], {
    env: bareEnvironment(home, env),
    encoding: 'utf8',
  });
}

test('svc probes install installs a program that root owns, and prints the line for the user who ran sudo', (t) => {
  const line =
    'umask 077; "$@" probes install && stat -c "%u %g %a" /usr/local/libexec/* && cat /usr/local/libexec/*';
  const run = inNamespace(t, line.replace('"$@"', '"$1" "$2"'), {
    SUDO_USER: 'kim',
    SUDO_UID: '1000',
  });
  if (run === null) return;
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^ {2}kim ALL=\(root\) NOPASSWD: \/usr\/local\/libexec\/svc-probe$/m);
  assert.match(run.stdout, /^0 0 755$/m);
  assert.ok(run.stdout.endsWith(readFileSync(HELPER, 'utf8')));
});

test('svc probes install --json writes the document, replaces an older program, and uses the id of a user with an unusual name', (t) => {
  const line =
    'mkdir -p /usr/local/libexec && echo old >/usr/local/libexec/svc-probe && "$1" "$2" probes install --json';
  const run = inNamespace(t, line, { SUDO_USER: 'ALL, root', SUDO_UID: '1000' });
  if (run === null) return;
  assert.deepEqual(JSON.parse(run.stdout), {
    path: '/usr/local/libexec/svc-probe',
    sudoers: '#1000 ALL=(root) NOPASSWD: /usr/local/libexec/svc-probe',
  });
});

test('svc probes install rejects a folder that others can write to', (t) => {
  const run = inNamespace(t, 'chmod 777 /usr/local && "$1" "$2" probes install', {});
  if (run === null) return;
  assert.equal(run.status, 4);
  assert.match(run.stderr, /Cannot install: users other than root can write to \/usr\/local\./);
});
