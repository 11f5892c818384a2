// How signals are counted: those that come together are one.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { countSignals } from './interrupt.ts';
import type { Io } from './io.ts';

/** Counts the signals of a process that has none but those that the test sends. */
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

test('countSignals: signals within 500 ms of the first are one, whichever they are', (t) => {
  const { counts, send } = counted(t);
  send('SIGTERM', 0);
  send('SIGHUP', 0);
  send('SIGTERM', 250);
  send('SIGINT', 250);
  assert.deepEqual(counts, [1]);
  send('SIGINT', 1);
  assert.deepEqual(counts, [1, 2]);
});
