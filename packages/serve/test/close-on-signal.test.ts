// How a server's program ends, tested with a separate program.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const INDEX = JSON.stringify(join(import.meta.dirname, '../src/index.ts'));

/** A program that closes by running `close`, and prints when it listens and when it closes. */
async function program(t: TestContext, close: string) {
  const code = `
    import { closeOnSignal } from ${INDEX};
    const timer = setInterval(() => {}, 1000);
    closeOnSignal(async () => { console.log('closing'); ${close} });
    console.log('ready');
  `;
  const { NODE_TEST_CONTEXT: _, npm_execpath: __, ...env } = process.env;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<unknown> => (await lines.next()).value;
  assert.equal(await line(), 'ready', errors);
  return { child, line, ended: endOf(child), errors: () => errors };
}

async function endOf(child: ChildProcess): Promise<[number | null, string | null]> {
  const [code, signal] = await once(child, 'exit', { signal: AbortSignal.timeout(30_000) });
  return [code, signal];
}

test('the first signal closes, and the program ends with 0', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const { child, line, ended } = await program(t, '');
    child.kill(signal);
    assert.equal(await line(), 'closing', signal);
    assert.deepEqual(await ended, [0, null], signal);
  }
});

test('a second signal ends the program at once; a repeated Ctrl-C counts as one', async (t) => {
  const { child, line, ended } = await program(t, 'await new Promise(() => {});');
  child.kill('SIGINT');
  assert.equal(await line(), 'closing');
  child.kill('SIGINT');
  // Later than a Ctrl-C that a wrapper passes on.
  await sleep(1_000);
  assert.equal(child.exitCode, null, 'it is closing still');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [128 + 15, null]);
});

test('a close that fails ends the program with 1 and prints the reason, without a stack', async (t) => {
  const { child, ended, errors } = await program(t, "throw new Error('the disk is gone');");
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [1, null]);
  assert.equal(errors(), 'the disk is gone\n');
});

test('every ending signal that can be caught has a listener, and none keeps the program alive', async () => {
  const code = `
    import { closeOnSignal } from ${INDEX};
    closeOnSignal(async () => {});
    console.log(process.eventNames().filter((name) => String(name).startsWith('SIG')).join());
  `;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '--eval', code],
    {
      // Also watches its parent, this process, and still ends by itself.
      env: { ...env, SVC_START_FILE_PID: String(process.pid) },
      encoding: 'utf8',
      timeout: 20_000,
      // Any other signal would end it in order.
      killSignal: 'SIGKILL',
    },
  );
  assert.equal(status, 0);
  const fatal = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'];
  const onLinux = ['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'];
  const listened = stdout.trim().split(',');
  assert.deepEqual(listened.toSorted(), [...fatal, ...onLinux].toSorted());
});

test('a program whose start file is gone closes as if by a signal', {
  skip: process.platform === 'win32' && 'there is no sh',
}, async (t) => {
  const code = `
    import { closeOnSignal } from ${INDEX};
    const timer = setInterval(() => {}, 1000);
    closeOnSignal(async () => { console.log('closing'); });
    console.log(process.pid);
  `;
  const { NODE_TEST_CONTEXT: _, npm_execpath: __, ...env } = process.env;
  const script = 'SVC_START_FILE_PID=$$ "$0" --input-type=module-typescript --eval "$1" & wait';
  const start = spawn('sh', ['-c', script, process.execPath, code], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => start.kill('SIGKILL'));
  const lines = createInterface({ input: start.stdout });
  const patience = { signal: AbortSignal.timeout(60_000) };
  const [pid] = await once(lines, 'line', patience);
  const ended = once(lines, 'close', patience);
  t.after(async () => {
    // If it continues, the test has failed.
    await ended.catch(() => process.kill(Number(pid), 'SIGKILL'));
  });
  const closing = once(lines, 'line', patience);
  start.kill('SIGKILL');
  assert.deepEqual(await closing, ['closing']);
  await ended;
});
