import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from './pause.ts';

const target = new EventTarget();
Object.assign(globalThis, {
  addEventListener: target.addEventListener.bind(target),
  removeEventListener: target.removeEventListener.bind(target),
});

const never = new AbortController().signal;
const LONG_MS = 1_000_000;

test('a pause ends after its time, when the browser is online again, or by the signal', async () => {
  await pause(1, never);
  const online = pause(LONG_MS, never);
  target.dispatchEvent(new Event('online'));
  await online;
  const stop = new AbortController();
  const stopped = pause(LONG_MS, stop.signal);
  stop.abort(new Error('stopped'));
  await assert.rejects(stopped, /stopped/);
  await assert.rejects(pause(LONG_MS, stop.signal), /stopped/);
});
