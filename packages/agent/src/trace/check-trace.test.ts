// The check of a trace whose thread fails: no caller waits forever.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { within } from '../../test/within.ts';
import { checkTrace } from './check-trace.ts';

function workerOf(body: string): Worker {
  const code = `const { parentPort } = require('node:worker_threads'); ${body}`;
  return new Worker(code, { eval: true });
}

const MIB = 1024 * 1024;

test('checkTrace: a thread that ends or fails without an answer rejects waiting calls', async () => {
  for (const [body, expected] of [
    ['parentPort.once("message", () => process.exit(0));', /has ended/],
    ['parentPort.once("message", () => { throw new Error("boom"); });', /boom/],
  ] as const) {
    await using check = checkTrace(() => workerOf(body));
    await assert.rejects(within(check.finish(), 'the refusal'), expected);
    await assert.rejects(within(check.push(new Uint8Array(1)), 'the refusal'), expected);
  }
});

test('checkTrace: push waits while more than 4 MiB are on their way', async () => {
  const worker = workerOf(`let held = 0;
    parentPort.on('message', ({ chunk, go }) => {
      if (go) parentPort.postMessage({ taken: held });
      else held += chunk.length;
    });`);
  await using check = checkTrace(() => worker);
  await within(check.push(new Uint8Array(4 * MIB)), 'room');
  let over = false;
  const last = check.push(new Uint8Array(1)).then(() => {
    over = true;
  });
  await new Promise(setImmediate);
  assert.equal(over, false);
  worker.postMessage({ go: true });
  await within(last, 'room');
});

test('checkTrace: disposing of it ends the thread', async () => {
  const worker = workerOf('parentPort.on("message", () => {});');
  const exit = once(worker, 'exit');
  await checkTrace(() => worker)[Symbol.asyncDispose]();
  await within(exit, 'the thread to end');
});
