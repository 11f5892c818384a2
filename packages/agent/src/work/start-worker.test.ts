import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { within } from '../../test/within.ts';
import { workerStarter } from './start-worker.ts';

test('a worker that fails after its answer was abandoned does not end the agent', async () => {
  const entry = new URL(
    'data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.once("message", () => { throw new Error("too late"); });',
  );
  const worker = workerStarter(entry)({ role: 'check' });
  const exit = Promise.withResolvers<number>();
  worker.once('exit', exit.resolve);
  const over = new AbortController();
  const answer = once(worker, 'message', { signal: over.signal });
  over.abort();
  await assert.rejects(answer, { name: 'AbortError' });
  worker.postMessage('go on');
  assert.equal(await within(exit.promise, 'the worker to end'), 1);
});
