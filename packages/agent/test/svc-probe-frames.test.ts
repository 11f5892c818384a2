// The program that runs as root, when it looks for the libraries of a hostile process.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { readProbePrograms } from '../src/probes/probe-programs.ts';
import { skippedWithoutBpf } from './can-observe.ts';
import { collectorsOf } from './collectors.ts';
import { until, within } from './harness.ts';
import { compile } from './targets/start-presenter.ts';
import { hasCompiler } from './targets/start-shares.ts';

const { helper } = readProbePrograms();
const HELPER = helper.path ?? assert.fail();

/** A file that is leased keeps others waiting for 45 s, and longer if the lease is renewed. */
const LEASE_MS = 40_000;

/** One run of the program closes the library so often, or less often. */
const MOST_CLOSES = 24;

/** Starts hostile-mapper.c in a folder with a library of its own and one of others. */
async function startMapper(t: TestContext, args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'));
  const program = join(folder, 'mapper');
  compile(['-O1', '-o', program, 'hostile-mapper.c']);
  const flags = ['-shared', '-fPIC', '-O1', '-o'];
  compile([...flags, join(folder, 'libEGL.so.1'), '-DPRESENT=eglSwapBuffers', 'present-library.c']);
  compile([...flags, join(folder, 'other.so'), 'long-code.c']);
  const child = spawn(program, [...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until(
    () => lines,
    (all) => all.includes('up'),
    'the hostile program runs',
  );
  return { child, lines };
}

/** Starts the program as root would. */
function observe(t: TestContext, pid: number | undefined) {
  const child = spawn('/bin/bash', ['-p', HELPER, String(pid), 'frames'], {
    env: { PATH: process.env['PATH'], SUDO_UID: '0' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return { child, lines };
}

async function endInput(child: ChildProcess, ms: number): Promise<void> {
  child.stdin?.on('error', () => {}); // it may have ended by itself
  child.stdin?.end();
  if (child.exitCode === null) await within(once(child, 'exit'), 'the program to end', ms);
}

function skipped(t: TestContext): boolean {
  if (!hasCompiler()) t.skip('a C compiler is not installed');
  return !hasCompiler() || skippedWithoutBpf(t);
}

test('svc-probe frames: a process that exchanges its library never gets a probe into another file', async (t) => {
  if (skipped(t)) return;
  for (let closes = 1; closes <= MOST_CLOSES; closes++) {
    const { child, lines } = await startMapper(t, ['flip', 'libEGL.so.1', 'other.so', `${closes}`]);
    const { child: observer, lines: reported } = observe(t, child.pid);
    await until(
      () => observer.exitCode !== null || reported.some((line) => /^#(ready|waiting)/.test(line)),
      Boolean,
      'the program looks for libraries',
    );
    await endInput(observer, LEASE_MS);
    child.kill('SIGKILL');
    assert.ok(!lines.includes('changed'), `after ${closes} closes: ${lines.join(', ')}`);
  }
});

test('svc-probe frames: a process that makes it wait for a file does not keep it from ending', async (t) => {
  if (skipped(t)) return;
  const { child } = await startMapper(t, ['lease', 'libEGL.so.1']);
  const { child: observer } = observe(t, child.pid);
  await until(
    () => collectorsOf(child.pid ?? 0),
    ({ length }) => length >= 2,
    'the observer waits for the file',
  );
  await endInput(observer, LEASE_MS);
  await until(
    () => collectorsOf(child.pid ?? 0),
    ({ length }) => length === 0,
    'nothing remains',
  );
});
