import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../../../scripts/until.ts';
import { isRunning } from '../../test/is-running.ts';
import { askCommand } from './ask-command.ts';
import type { Question, Verdict } from './question.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-command-'));
after(() => rmSync(root, { recursive: true, force: true }));
let paths = 0;
const newPath = (): string => join(root, String(++paths));

const question: Question = {
  facts: {
    game: { id: 'g', slug: 'moon', title: 'Moon' },
    owner: { id: 'a', name: 'Ada' },
    release: { version: '1', staged: false, files: 1, bytes: 1 },
  },
  newPath,
  async writeFiles(folder) {
    mkdirSync(folder);
  },
  async *readZip() {},
};

/** Writes a program for the shell, and returns its path. */
function write(...lines: readonly string[]): string {
  const path = newPath();
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

function ask(
  command: readonly [string, ...string[]],
  timeoutMs = 60_000,
  signal = new AbortController().signal,
): Promise<Verdict> {
  return askCommand({ kind: 'command', command, timeoutMs }, question, signal);
}

/** Returns the ids of processes that a program has written, one in each line. */
const pidsIn = (path: string): number[] =>
  readFileSync(path, 'utf8').trim().split('\n').map(Number);

/** Ends processes that the server does not end. */
function endAll(path: string): void {
  for (const pid of pidsIn(path).filter((one) => one > 0)) process.kill(pid, 'SIGKILL');
}

const waitForEnds = (pids: readonly number[]) =>
  until(
    () => pids.some(isRunning),
    (runs) => !runs,
    'the processes have ended',
  );

test('the first lines of standard output are the reason, without the folder', async () => {
  const program = write('echo "in $1:"', 'echo "$1/a.js: bad"', 'exit 1');
  const rejected = { accepted: false, reason: 'in : a.js: bad' };
  assert.deepEqual(await ask([program]), rejected);
  // Programs such as clamdscan print the real path.
  const real = write('echo "in $(realpath "$1"):"', 'echo "$(realpath "$1")/a.js: bad"', 'exit 1');
  const link = newPath();
  symlinkSync(root, link);
  const linked = { ...question, newPath: () => join(link, String(++paths)) };
  const command = { kind: 'command', command: [real], timeoutMs: 60_000 } as const;
  assert.deepEqual(await askCommand(command, linked, new AbortController().signal), rejected);
});

test('a flood of output is cut, and the program need not read its input', async () => {
  const program = write('exec <&-', 'yes xxxx | head -c 5000000', 'exit 1');
  const verdict = await ask([program]);
  assert.deepEqual(verdict, { accepted: false, reason: Array(5).fill('xxxx').join('; ') });
  const line = write('head -c 5000000 /dev/zero | tr "\\\\0" x', 'exit 1');
  assert.deepEqual(await ask([line]), { accepted: false, reason: 'x'.repeat(500) });
});

test('another end is a failure, and standard error says why', async () => {
  const rows: readonly (readonly [program: string, message: string])[] = [
    [
      write('echo "the scanner is down" >&2', 'echo "start it" >&2', 'exit 2'),
      'it ended with exit code 2: the scanner is down; start it',
    ],
    [write('kill -KILL $$'), 'it ended with signal SIGKILL'],
  ];
  for (const [program, message] of rows) {
    await assert.rejects(ask([program]), { name: 'HookError', message });
  }
});

test('a program that cannot be started is a failure', async () => {
  const rows: readonly (readonly [command: [string, ...string[]], cause: RegExp])[] = [
    [['/nowhere/hook'], /^it could not be started: .*ENOENT/],
    [[root], /^it could not be started: .*EACCES/],
    // Node throws these, and does not report them as events.
    [[join(write(), 'hook')], /^it could not be started: .*ENOTDIR/],
    [['/bin/true', 'x'.repeat(200_000)], /^it could not be started: .*E2BIG/],
  ];
  for (const [command, message] of rows) {
    await assert.rejects(ask(command), { name: 'HookError', message });
  }
});

test('a server that has no more file descriptors goes on', async () => {
  const source = `
    import { openSync } from 'node:fs';
    import { askCommand } from ${JSON.stringify(join(import.meta.dirname, 'ask-command.ts'))};
    const question = { facts: {}, newPath: () => '/tmp', writeFiles: async () => {} };
    try {
      for (;;) openSync('/dev/null');
    } catch {}
    const asked = askCommand(
      { kind: 'command', command: ['/bin/true'], timeoutMs: 60_000 },
      question,
      new AbortController().signal,
    );
    const message = await asked.catch((error) => error.name + ': ' + error.message);
    process.stderr.write(message);`;
  const shell = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"'];
  const run = promisify(execFile)('/bin/sh', [...shell, process.execPath, source]);
  assert.match((await run).stderr, /^HookError: it could not be started: .*EMFILE/);
});

test('at the end of the program, after the time limit and when it is stopped, its group is ended', async () => {
  const pids = newPath();
  const leave = `sleep 600 & echo $! >>${pids}`;
  assert.deepEqual(await ask([write(leave, 'exit 0')]), { accepted: true });
  const stall = write('trap "" TERM', leave, `echo $$ >>${pids}`, 'sleep 600');
  await assert.rejects(ask([stall], 400), {
    name: 'HookError',
    message: 'it did not end within 0.4 s',
  });
  const before = pidsIn(pids).length;
  const stop = new AbortController();
  const stopped = ask([stall], 60_000, stop.signal);
  await until(
    () => pidsIn(pids).length,
    (count) => count === before + 2,
    'the program runs',
  );
  stop.abort(new Error('the client has left'));
  await assert.rejects(stopped, /the client has left/);
  await waitForEnds(pidsIn(pids));
});

test('a process that has left the group and holds the output open is not waited for', async (t) => {
  const pid = newPath();
  t.after(() => endAll(pid));
  const program = write(
    `setsid sh -c 'echo $$ >${pid}; exec sleep 60' &`,
    `while [ ! -s ${pid} ]; do sleep 0.01; done`,
    'echo bad',
    'exit 1',
  );
  assert.deepEqual(await ask([program]), { accepted: false, reason: 'bad' });
  assert.deepEqual(pidsIn(pid).map(isRunning), [true]);
});

test('a program that the server may not end is not waited for', async (t) => {
  const pid = newPath();
  t.after(() => endAll(pid));
  const { mock } = t.mock.method(process, 'kill', () => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  const program = write(`echo $$ >${pid}`, 'exec sleep 60');
  await assert.rejects(ask([program], 100), /it did not end within 0\.1 s/);
  await until(
    () => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'),
    (isWritten) => isWritten,
    'the program has started',
  );
  mock.restore();
});
