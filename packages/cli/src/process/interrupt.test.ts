// How signals are counted: signals at the same time count as one.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ExitError } from './exit-codes.ts';
import { countSignals, interruptible } from './interrupt.ts';
import type { Io } from './io.ts';

/** Counts the signals that the test sends. */
function counted(t: TestContext): {
  readonly counts: number[];
  readonly send: (signal: NodeJS.Signals, afterMs: number) => void;
} {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  let listener: (signal: NodeJS.Signals) => void = () => {};
  const onSignal: Io['onSignal'] = (given) => {
    listener = given;
    return () => {};
  };
  const counts: number[] = [];
  countSignals({ onSignal } as Io, (count) => counts.push(count));
  const send = (signal: NodeJS.Signals, afterMs: number): void => {
    now += afterMs;
    listener(signal);
  };
  return { counts, send };
}

test('countSignals counts signals within 500 ms of the first as one', (t) => {
  const { counts, send } = counted(t);
  send('SIGTERM', 0);
  send('SIGHUP', 0);
  send('SIGTERM', 250);
  send('SIGINT', 250);
  assert.deepEqual(counts, [1]);
  send('SIGINT', 1);
  assert.deepEqual(counts, [1, 2]);
});

/** A process that receives the test's signals, and records how it is ended. */
function process(t: TestContext) {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const ended: number[] = [];
  const io = {
    onSignal(listener: (signal: NodeJS.Signals) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code: number) => void ended.push(code),
  } as unknown as Io;
  const send = (): void => {
    now += 1000;
    for (const listener of listeners) listener('SIGINT');
  };
  return { io, send, ended, listeners };
}

test('interruptible aborts the work on the first signal, and ends the process on the second', async (t) => {
  const { io, send, ended, listeners } = process(t);
  const outcome = await interruptible(io, async (signal) => {
    assert.equal(signal.aborted, false);
    send();
    assert.deepEqual([signal.aborted, ended], [true, []]);
    send();
    assert.deepEqual(ended, [130]);
    return signal.reason;
  });
  assert.ok(outcome instanceof ExitError);
  assert.deepEqual([outcome.exitCode, outcome.code], [130, 'interrupted']);
  assert.equal(listeners.size, 0, 'no listener is left after the work');
});

test('interruptible passes on the error of the work, and removes its listeners', async (t) => {
  const { io, listeners } = process(t);
  const fails = async (): Promise<never> => {
    assert.equal(listeners.size, 1);
    throw new RangeError('Too far');
  };
  await assert.rejects(interruptible(io, fails), new RangeError('Too far'));
  assert.equal(listeners.size, 0);
});
