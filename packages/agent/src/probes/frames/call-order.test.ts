import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CallOrder } from './call-order.ts';

function startOrder() {
  const seen: string[] = [];
  const order = new CallOrder();
  const take = (): void => {
    for (const { tid, call, lostBefore } of order.take()) {
      if (lostBefore > 0) seen.push(`lost ${lostBefore}`);
      seen.push(`${tid}:${call}`);
    }
  };
  const add = (tid: number, ...calls: readonly number[]): void => {
    for (const call of calls) order.add({ tid, call, ns: call, window: '1 1' });
    take();
  };
  const tick = (): void => {
    order.tick();
    take();
  };
  return { seen, order, add, tick };
}

test('CallOrder: calls that arrive out of order are put in order, each thread by itself', () => {
  const { seen, add } = startOrder();
  add(7, 2, 3);
  add(8, 1);
  assert.deepEqual(seen, ['8:1']);
  add(7, 1, 4);
  assert.deepEqual(seen, ['8:1', '7:1', '7:2', '7:3', '7:4']);
});

test('CallOrder: a call that does not arrive for more than a second is lost, and later ones count', () => {
  const { seen, add, tick } = startOrder();
  add(7, 1, 4, 5);
  tick();
  assert.deepEqual(seen, ['7:1']);
  tick();
  assert.deepEqual(seen, ['7:1', 'lost 2', '7:4', '7:5']);
  add(7, 2, 6);
  assert.deepEqual(seen.slice(4), ['7:6'], 'a call that was given up is ignored');
});

test('CallOrder: after a restart, calls are counted from 1 again', () => {
  const { seen, order, add } = startOrder();
  add(7, 1, 2);
  order.restart();
  add(7, 1);
  assert.deepEqual(seen, ['7:1', '7:2', '7:1']);
});

test('CallOrder: in any order of arrival, every call is passed on once and in order', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(
        Array.from({ length: 30 }, (_, i) => i + 1),
        { minLength: 1 },
      ),
      (calls) => {
        const { seen, add, tick } = startOrder();
        add(7, ...calls);
        // Each gap takes two ticks.
        for (let i = 0; i < 2 * 31; i++) tick();
        const passed = seen.filter((word) => word.startsWith('7:'));
        const sorted = calls.toSorted((a, b) => a - b);
        assert.deepEqual(
          passed,
          sorted.map((call) => `7:${call}`),
        );
        const lost = seen
          .filter((word) => word.startsWith('lost '))
          .reduce((sum, word) => sum + Number(word.slice(5)), 0);
        assert.equal(lost, (sorted.at(-1) ?? 0) - calls.length);
      },
    ),
  );
});

test('CallOrder: calls of several threads are taken in the order of their times', () => {
  const { order } = startOrder();
  for (const [tid, call, ns] of [
    [7, 1, 10],
    [7, 2, 50],
    [8, 1, 30],
  ] as const) {
    order.add({ tid, call, ns, window: '1 1' });
  }
  assert.deepEqual(
    order.take().map(({ ns }) => ns),
    [10, 30, 50],
  );
  assert.deepEqual(order.take(), []);
});

test('CallOrder: threads beyond the limit are left out, and known ones continue', () => {
  const { seen, add } = startOrder();
  for (let tid = 1; tid <= 1025; tid++) add(tid, 1);
  assert.equal(seen.at(-1), '1024:1');
  add(1, 2);
  assert.equal(seen.at(-1), '1:2');
});
