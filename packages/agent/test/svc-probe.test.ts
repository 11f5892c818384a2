// The program that runs as root: which requests it accepts and which it refuses, also through sudo.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { helperFault, parseCheck } from '../src/probes/probe-helper.ts';
import { readProbePrograms } from '../src/probes/probe-programs.ts';
import { skippedWithoutBpf } from './can-observe.ts';
import { collectorsOf } from './collectors.ts';
import { startTarget, temporaryFolder, until, within } from './harness.ts';
import { hasCompiler, type Shares, startNativeShares } from './targets/start-shares.ts';

const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'];
const { helper } = readProbePrograms();
const HELPER = helper.path ?? assert.fail();

/**
 * Runs the helper as sudo would for the user `caller`, with closed input, and returns its first
 * line.
 */
function ask(args: readonly string[], caller?: number, through: readonly string[] = []): string {
  const [command = '', ...rest] = [...through, '/bin/bash', '-p', HELPER, ...args];
  const env = { PATH: process.env['PATH'], ...(caller !== undefined && { SUDO_UID: `${caller}` }) };
  const { stdout } = spawnSync(command, rest, {
    env,
    input: '',
    encoding: 'utf8',
    timeout: 60_000,
  });
  return stdout.split('\n')[0] ?? '';
}

function skippedWithoutRoot(t: TestContext): boolean {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) t.skip('kernel: only root may take another user’s id');
  return !isRoot;
}

test('svc-probe accepts only a PID and a mode', async (t) => {
  if (skippedWithoutRoot(t)) return;
  const usage = '#fail usage: svc-probe PID frames|stacks|files|check';
  for (const args of [
    [],
    ['1'],
    ['1', 'check', 'more'],
    ['-1', 'check'],
    ['1;id', 'check'],
    ['0', 'check'],
  ]) {
    assert.equal(ask(args, 0), usage, args.join(' '));
  }
  assert.equal(ask(['1', 'exec'], 0), '#fail the mode is frames, stacks, files or check');
});

test('svc-probe runs only as root, and only if sudo names the caller', async (t) => {
  if (skippedWithoutRoot(t)) return;
  assert.equal(ask(['1', 'check']), '#fail sudo must say who calls (SUDO_UID)');
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const copy = join(folder.path, 'svc-probe');
  copyFileSync(HELPER, copy);
  const run = spawnSync('setpriv', [...AS_NOBODY.slice(1), '/bin/bash', '-p', copy, '1', 'check'], {
    env: { PATH: process.env['PATH'], SUDO_UID: '0' },
    encoding: 'utf8',
  });
  assert.equal(run.stdout, '#fail BPF needs root\n');
});

test('svc-probe accepts only a running process that belongs entirely to the caller', async (t) => {
  if (skippedWithoutRoot(t)) return;
  await using target = await startTarget();
  assert.equal(ask([`${target.pid}`, 'check'], NOBODY), '#fail the process is not yours');
  assert.equal(ask(['4194304', 'check'], NOBODY), '#fail there is no such process');
  const half = spawn('setpriv', [`--euid=${NOBODY}`, '--', 'sleep', '100']);
  t.after(() => half.kill());
  await within(once(half, 'spawn'), 'the target to run');
  assert.equal(ask([`${half.pid}`, 'check'], NOBODY), '#fail the process is not yours');
});

test('svc-probe refuses a process that the kernel hides from its own user', async (t) => {
  if (skippedWithoutRoot(t)) return;
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const hidden = join(folder.path, 'sleep');
  copyFileSync('/bin/sleep', hidden);
  chmodSync(hidden, 0o111); // who may not read a program may not look into its process either
  // Through a shell, because setpriv itself may still read everything.
  const child = spawn('setpriv', [...AS_NOBODY.slice(1), 'sh', '-c', 'exec "$0" 100', hidden]);
  t.after(() => child.kill());
  const { pid } = child;
  await until(
    () => spawnSync('cat', [`/proc/${pid}/comm`], { encoding: 'utf8' }).stdout,
    (comm) => comm === 'sleep\n',
  );
  assert.equal(ask([`${pid}`, 'check'], NOBODY), '#fail the process is not yours');
});

test("svc-probe recognizes the caller's process every time, even one that constantly wakes and sleeps", (t) => {
  if (skippedWithoutRoot(t)) return;
  // The line with the state, before the line with the user, changes its length each time.
  const child = spawn('python3', ['-c', 'import time\nwhile True: time.sleep(0.00002)']);
  t.after(() => child.kill('SIGKILL'));
  const answers = Array.from({ length: 60 }, () => ask([`${child.pid}`, 'check'], 0));
  assert.deepEqual(
    answers.filter((answer) => /not yours/.test(answer)),
    [],
  );
});

test('svc-probe refuses in a PID namespace, where BPF would see nothing', async (t) => {
  if (skippedWithoutBpf(t)) return;
  const through = ['unshare', '--pid', '--fork', '--mount-proc'];
  if (spawnSync('unshare', [...through.slice(1), 'true']).status !== 0) {
    t.skip('kernel: no private PID namespace');
    return;
  }
  assert.match(ask(['1', 'check'], 0, through), /^#fail BPF sees no PID of this namespace/);
});

test("helperFault: a helper that is missing, not root's, writable by others, a link, or of another version", (t) => {
  if (skippedWithoutRoot(t)) return;
  using folder = temporaryFolder();
  const path = join(folder.path, 'svc-probe');
  assert.match(
    helperFault(path, helper.text) ?? '',
    /not installed; run `sudo svc probes install`$/,
  );
  copyFileSync(HELPER, path);
  chmodSync(path, 0o755);
  assert.equal(helperFault(path, helper.text), null);
  for (const mode of [0o775, 0o757]) {
    chmodSync(path, mode);
    assert.match(helperFault(path, helper.text) ?? '', /can be changed by users other than root/);
  }
  chmodSync(path, 0o755);
  chownSync(path, NOBODY, 0);
  assert.match(helperFault(path, helper.text) ?? '', /can be changed by users other than root/);
  chownSync(path, 0, 0);
  chmodSync(folder.path, 0o777);
  assert.match(helperFault(path, helper.text) ?? '', /^users other than root can write/);
  chmodSync(folder.path, 0o755);
  chownSync(folder.path, NOBODY, 0);
  assert.match(helperFault(path, helper.text) ?? '', /^users other than root can write/);
  chownSync(folder.path, 0, 0);
  writeFileSync(path, '#!/bin/sh\n');
  assert.match(helperFault(path, helper.text) ?? '', /another version of svc/);
  symlinkSync(HELPER, `${path}-link`);
  assert.match(helperFault(`${path}-link`, helper.text) ?? '', /not a regular file/);
});

test("parseCheck: what can be observed, what can't and why, and errors of sudo", () => {
  const both = { out: '#can frames\n#can stacks\n#cannot files no tracefs\n', err: '' };
  assert.deepEqual(parseCheck(both), { frames: null, stacks: null, files: 'no tracefs' });
  const failed = parseCheck({ out: '#fail the process is not yours\n', err: '' });
  assert.equal(failed.stacks, 'the process is not yours');
  const sudo = parseCheck({ out: '', err: 'sudo: a password is required\n' });
  assert.match(sudo.files ?? '', /^sudo does not start the helper without a password/);
  assert.equal(parseCheck({ out: '', err: '' }).stacks, 'the helper did not answer');
});

/**
 * A namespace in which the user `nobody` may start the helper through sudo, as after `svc probes
 * install`. This machine is not changed.
 */
const WITH_SUDO = `set -e
mount -t tmpfs -o mode=755 none /usr/local
mount -t tmpfs -o mode=755 none /etc/sudoers.d
mkdir -p /usr/local/libexec
install -o root -g root -m 755 "$1" /usr/local/libexec/svc-probe
echo 'nobody ALL=(root) NOPASSWD: /usr/local/libexec/svc-probe' >/etc/sudoers.d/svc-probe
shift; exec "$@"`;

/** Starts the program as the user `nobody`, with or without a helper that sudo starts. */
function startAsNobody(t: TestContext, target: Shares, sudo: boolean): ChildProcess {
  const program = join(import.meta.dirname, 'probe-user-program.ts');
  const run = [process.execPath, program, String(NOBODY), String(target.pid)];
  const inNamespace = [
    '--mount',
    '--propagation',
    'private',
    '--',
    'sh',
    '-c',
    WITH_SUDO,
    'sh',
    HELPER,
  ];
  const [command = '', ...args] = sudo ? ['unshare', ...inNamespace, ...run] : run;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

type Reported = { probe: { state: string; reason?: string }; samples: number; update: number };

/**
 * The program's output: first the capability, then the state of the probe until it has enough
 * samples.
 */
async function listen(child: ChildProcess): Promise<{ capability: unknown; last: Reported }> {
  assert.ok(child.stdout !== null);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await within(lines.next(), 'output of the program');
    return JSON.parse(value ?? '{"probe":{"state":"gone"}}');
  };
  const capability: unknown = await next();
  let last: Reported;
  do last = await next();
  while (['starting', 'running'].includes(last.probe.state) && last.samples < 100);
  return { capability, last };
}

test('a user whom sudo lets start the helper gets stacks, and SIGKILL leaves nothing', async (t) => {
  if (skippedWithoutBpf(t)) return;
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  if (spawnSync('sudo', ['--version']).error !== undefined) return t.skip('sudo is not installed');
  await using target = await startNativeShares(AS_NOBODY);
  const child = startAsNobody(t, target, true);
  const { capability, last } = await listen(child);
  assert.deepEqual(capability, { available: true });
  assert.equal(last.probe.state, 'running', last.probe.reason);
  assert.ok(last.update > last.samples / 2, `update has ${last.update} of ${last.samples}`);
  child.kill('SIGKILL');
  const left = () => collectorsOf(target.pid);
  await until(left, (pids) => pids.length === 0, 'no collector is left', 60_000);
});

test('a user without the helper gets stacks by perf, with the reason', async (t) => {
  if (skippedWithoutRoot(t)) return;
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  await using target = await startNativeShares(AS_NOBODY);
  const probe = ['record', '-q', '-e', 'cpu-clock:u', '-o', '/dev/null', '-p', String(target.pid)];
  const perf = spawnSync(AS_NOBODY[0] ?? '', [
    ...AS_NOBODY.slice(1),
    'perf',
    ...probe,
    '--',
    'true',
  ]);
  if (perf.status !== 0) return t.skip('kernel: perf may not sample for this user');
  const { capability, last } = await listen(startAsNobody(t, target, false));
  assert.match(JSON.stringify(capability), /"available":true.*by perf.*not installed/);
  assert.equal(last.probe.state, 'running', last.probe.reason);
  assert.ok(last.update > last.samples / 2, `update has ${last.update} of ${last.samples}`);
});
