import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inLanes } from './in-lanes.ts';

const never = new AbortController().signal;
const NUMBERS = Array.from({ length: 20 }, (_, at) => at);

test('each item is worked on once, and at most as many at once as there are lanes', async () => {
  const done: number[] = [];
  let now = 0;
  let most = 0;
  await inLanes(NUMBERS, 4, never, async (item) => {
    most = Math.max(most, ++now);
    await turn();
    now--;
    done.push(item);
  });
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    NUMBERS,
  );
  assert.equal(most, 4);
  await inLanes([], 4, never, () => assert.fail());
});

test('the first failure stops the other lanes and is thrown', async () => {
  const stopped: number[] = [];
  let begun = 0;
  const work = async (item: number, ended: AbortSignal): Promise<void> => {
    begun++;
    await turn();
    if (item === 1) throw new Error('first');
    await turn();
    if (ended.aborted) stopped.push(item);
    ended.throwIfAborted();
  };
  await assert.rejects(inLanes(NUMBERS, 4, never, work), /first/);
  assert.deepEqual([stopped, begun], [[0, 2, 3], 4]);
});

test('the caller’s signal stops all lanes', async () => {
  const stop = new AbortController();
  let begun = 0;
  const work = async (): Promise<void> => {
    if (++begun === 6) stop.abort(new Error('stopped'));
    await turn();
  };
  await assert.rejects(inLanes(NUMBERS, 4, stop.signal, work), /stopped/);
  assert.ok(begun <= 8, `${begun}`);
});
