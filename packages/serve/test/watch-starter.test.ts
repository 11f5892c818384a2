// What a program detects about the npm or the start file that started it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import { type Environment, watchStarter } from '../src/index.ts';

const LOOK_MS = 500;
const onLinux = { skip: process.platform !== 'linux' && 'only Linux has /proc' };

/** Watches with a clock and a parent that the test sets. */
function watching(t: TestContext, env: Environment, parent = process.ppid) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let pid = parent;
  const own = Object.getOwnPropertyDescriptor(process, 'ppid') ?? {};
  Object.defineProperty(process, 'ppid', { configurable: true, get: () => pid });
  t.after(() => Object.defineProperty(process, 'ppid', own));
  let gone = 0;
  const watch = watchStarter(env, () => gone++);
  t.after(() => watch[Symbol.dispose]());
  return {
    watch,
    gone: () => gone,
    look: (ms = LOOK_MS) => t.mock.timers.tick(ms),
    loseParent: () => {
      pid = 1;
    },
  };
}

test('a program below npm, or run by a start file, is notified once that its parent is gone', async (t) => {
  for (const env of [{ npm_execpath: '/npm' }, { SVC_START_FILE_PID: String(process.ppid) }]) {
    await t.test(Object.keys(env).join(), (t) => {
      const { gone, look, loseParent } = watching(t, env);
      look();
      assert.equal(gone(), 0, 'the parent is there');
      loseParent();
      look(LOOK_MS - 1);
      assert.equal(gone(), 0);
      look(1);
      assert.equal(gone(), 1);
      look(10 * LOOK_MS);
      assert.equal(gone(), 1);
    });
  }
});

test('a program that was started in any other way outlives its parent', async (t) => {
  const rows: [name: string, env: Environment][] = [
    ['by hand', {}],
    ['with an empty npm_execpath', { npm_execpath: '' }],
    ['with the start file of another', { SVC_START_FILE_PID: String(process.ppid + 1) }],
    ['with an empty pid', { SVC_START_FILE_PID: '' }],
  ];
  for (const [name, env] of rows) {
    await t.test(name, (t) => {
      const { gone, look, loseParent } = watching(t, env);
      loseParent();
      look(10 * LOOK_MS);
      assert.equal(gone(), 0);
    });
  }
});

/** Replaces `/proc/PID/stat` of the parent. Null for a system without /proc. */
function setStat(t: TestContext, stat: () => string | null): void {
  const { readFileSync } = fs;
  t.mock.method(fs, 'readFileSync', (...given: Parameters<typeof readFileSync>) => {
    if (given[0] !== `/proc/${process.ppid}/stat`) return readFileSync(...given);
    const text = stat();
    if (text === null) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    return text;
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

const START_FILE = { SVC_START_FILE_PID: String(process.ppid) };

test('another process that has the pid of the parent is not the parent', (t) => {
  const statOf = (startedAt: number, state = 'S'): string =>
    `7 (sh) ) R 1) ${state} 1 ${'0 '.repeat(17)}${startedAt} 0 0`;
  let stat = statOf(1000);
  setStat(t, () => stat);
  const { gone, look } = watching(t, START_FILE);
  look();
  assert.equal(gone(), 0, 'the parent is there');
  stat = statOf(1000, 'T');
  look();
  assert.equal(gone(), 0, 'it may be stopped');
  stat = statOf(1001);
  look();
  assert.equal(gone(), 1);
});

test('a parent that has exited is gone, whether it is still listed or not', async (t) => {
  const statOf = (state: string): string => `7 (sh) ${state} 1 ${'0 '.repeat(17)}1000 0 0`;
  for (const end of [statOf('Z'), statOf('X'), null]) {
    await t.test(String(end).slice(0, 8), (t) => {
      let stat: string | null = statOf('S');
      setStat(t, () => stat);
      const { gone, look } = watching(t, START_FILE);
      look();
      assert.equal(gone(), 0);
      stat = end;
      look();
      assert.equal(gone(), 1);
    });
  }
});

test('without /proc, a parent exists as long as it accepts signals, even if it belongs to another user', (t) => {
  setStat(t, () => null);
  let refusal: string | null = null;
  t.mock.method(process, 'kill', (pid: number, signal: number) => {
    assert.deepEqual([pid, signal], [process.ppid, 0]);
    if (refusal !== null) throw Object.assign(new Error(refusal), { code: refusal });
    return true;
  });
  const { gone, look } = watching(t, START_FILE);
  look();
  refusal = 'EPERM';
  look();
  assert.equal(gone(), 0);
  refusal = 'ESRCH';
  look();
  assert.equal(gone(), 1);
});

test('a disposed watch never calls back', (t) => {
  const { watch, gone, look, loseParent } = watching(t, { npm_execpath: '/npm' });
  watch[Symbol.dispose]();
  loseParent();
  look(10 * LOOK_MS);
  assert.equal(gone(), 0);
});

/** Runs a shell script that prints one pid, outside npm. Both are killed at the end of the test. */
async function startShell(t: TestContext, script: string) {
  const { npm_execpath: _, ...env } = process.env;
  const shell = spawn('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(shell, 'exit', { signal: AbortSignal.timeout(30_000) });
  exited.catch(() => {});
  t.after(() => shell.kill('SIGKILL'));
  const lines = createInterface({ input: shell.stdout });
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(30_000) });
  const pid = Number(line);
  assert.ok(pid > 1, String(line));
  t.after(() => {
    if (isThere(pid)) process.kill(pid, 'SIGKILL');
  });
  return { shell, exited, pid };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('the npm above the shell of a program is watched too', onLinux, async (t) => {
  // The sleep takes the place of the shell in which npm runs a program, and the shell that of npm.
  const script = 'npm_execpath=/npm sleep 60 & echo $!; wait';
  const { shell, exited, pid } = await startShell(t, script);
  const { gone, look } = watching(t, { npm_execpath: '/npm' }, pid);
  look();
  assert.equal(gone(), 0, 'both are there');
  shell.kill('SIGKILL');
  await exited;
  assert.ok(isThere(pid), 'the parent is there still');
  look();
  assert.equal(gone(), 1);
});

test('processes above npm are not watched', onLinux, async (t) => {
  // The sleep takes the place of npm. Its environment does not show an npm above it.
  const { shell, exited, pid } = await startShell(t, 'sleep 60 & echo $!; wait');
  const { gone, look } = watching(t, { npm_execpath: '/npm' }, pid);
  shell.kill('SIGKILL');
  await exited;
  look();
  assert.equal(gone(), 0);
});

test(
  'a parent that has exited is gone, even before its exit status is collected',
  onLinux,
  async (t) => {
    const { pid } = await startShell(t, 'sleep 60 & echo $!; exec sleep 60');
    const { gone, look } = watching(t, { SVC_START_FILE_PID: String(pid) }, pid);
    look();
    assert.equal(gone(), 0);
    process.kill(pid, 'SIGKILL');
    await until(
      () => {
        look();
        return gone();
      },
      (count) => count === 1,
      'it is noticed',
      10_000,
    );
  },
);
