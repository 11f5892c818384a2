import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { WorkerCalls } from './call-worker.ts';
import type { FromWorker } from './protocol.ts';

/** A worker that answers when it is told to. */
class SlowWorker {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  readonly asked: number[] = [];

  postMessage({ id }: { id: number }): void {
    this.asked.push(id);
  }

  answer(): void {
    this.onmessage?.({ data: { id: this.asked.shift() ?? 0, value: null } as FromWorker });
  }
}

/** Lets timers that are due run, and what follows on them. */
async function pass(ms: number): Promise<void> {
  for (let i = 0; i < ms; i += 10) {
    mock.timers.tick(10);
    await Promise.resolve();
    await Promise.resolve();
  }
}

test('quiet waits for calls under way and for those that follow on their answers, but not for ever', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const worker = new SlowWorker();
    const calls = new WorkerCalls(worker as unknown as Worker);
    let quiet = 0;
    const waitForQuiet = (): void => {
      void calls.quiet().then(() => {
        quiet++;
      });
    };
    const first = calls.call('stackGroups', { slot: 'main' });
    waitForQuiet();
    await pass(1000);
    assert.equal(quiet, 0);
    void first.then(() => calls.call('timeline', { slot: 'main' }));
    worker.answer();
    await pass(1000);
    assert.equal(quiet, 0, 'another call followed');
    worker.answer();
    await pass(200);
    assert.equal(quiet, 1);
    void calls.call('timeline', { slot: 'main' });
    waitForQuiet();
    await pass(11_000);
    assert.equal(quiet, 2, 'goes on although the worker never answers');
  } finally {
    mock.timers.reset();
  }
});
