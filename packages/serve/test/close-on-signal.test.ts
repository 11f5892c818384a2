// How a server's program ends, shown by a program of its own.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const INDEX = JSON.stringify(join(import.meta.dirname, '../src/index.ts'));

/** A program that closes by running `close`, and says when it listens and when it closes. */
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

test('a second signal ends the program at once; the same one that comes twice is one', async (t) => {
  const { child, line, ended } = await program(t, 'await new Promise(() => {});');
  child.kill('SIGINT');
  assert.equal(await line(), 'closing');
  child.kill('SIGINT');
  // Later than a Ctrl-C that a shim passes on.
  await sleep(1_000);
  assert.equal(child.exitCode, null, 'it is closing still');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [128 + 15, null]);
});

test('a close that fails ends the program with 1 and says why, without a stack', async (t) => {
  const { child, ended, errors } = await program(t, "throw new Error('the disk is gone');");
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [1, null]);
  assert.equal(errors(), 'the disk is gone\n');
});
