// Timed calls of the game, and the clock that times them. The game must not notice either.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { timeMethod, timePromise, watch } from '../src/hooks/timed.ts';
import { now } from '../src/sink/clock.ts';
import { recorded } from './recorded.ts';

/** Blocks the thread until the clock has advanced by this many milliseconds. */
function spin(ms: number): void {
  for (const end = now() + ms; now() < end; );
}

test('timeMethod passes the call on, and reports its result, start and duration', () => {
  const { sink } = recorded();
  const owner = {
    width: 2,
    draw(times: number): number {
      spin(2);
      return this.width * times;
    },
  };
  const original = owner.draw;
  const reported: unknown[][] = [];
  const undo = timeMethod(sink, owner, 'draw', (...all) => reported.push(all));
  const before = now();
  assert.equal(owner.draw(3), 6);
  const after = now();
  const [[self, args, result, at, ms] = []] = reported;
  assert.equal(self, owner);
  assert.deepEqual([args, result], [[3], 6]);
  assert.ok(Number(at) >= before && Number(ms) > 1.99 && Number(at) + Number(ms) <= after + 0.01);
  sink.on = false;
  assert.equal(owner.draw(4), 8);
  assert.equal(reported.length, 1, 'nothing is reported after the end of the recording');
  undo?.();
  assert.equal(owner.draw, original);
});

test('timeMethod ignores calls that throw or have no object, and exceptions of the listener', () => {
  const { sink } = recorded();
  const fault = new Error('of the game');
  let reported = 0;
  const owner = {
    fail(): never {
      throw fault;
    },
    free: (): number => 1,
  };
  timeMethod(sink, owner, 'fail', () => reported++);
  timeMethod(sink, owner, 'free', () => {
    reported++;
    throw new Error('of the listener');
  });
  assert.throws(() => owner.fail(), fault);
  const { free } = owner;
  assert.equal(free(), 1);
  assert.equal(reported, 0);
  assert.equal(owner.free(), 1);
  assert.equal(reported, 1);
  assert.equal(
    timeMethod(sink, owner, 'missing', () => {}),
    null,
  );
  assert.equal(
    timeMethod(sink, undefined, 'missing', () => {}),
    null,
  );
});

test('timePromise reports the value before the game gets it, with the duration of the call itself', async () => {
  const { sink } = recorded();
  const owner = {
    async load(url: string): Promise<string> {
      spin(2);
      await Promise.resolve();
      return `${url}!`;
    },
  };
  const reported: unknown[][] = [];
  timePromise(sink, owner, 'load', (...all) => reported.push(all));
  const before = now();
  const promise = owner.load('a');
  const after = now();
  spin(2);
  assert.equal(await promise, 'a!');
  const [[self, args, value, call] = []] = reported;
  const { at, ms } = Object(call);
  assert.equal(self, owner);
  assert.deepEqual([args, value], [['a'], 'a!']);
  assert.ok(at >= before && ms > 1.99 && at + ms <= after + 0.01);
});

test('timePromise ignores rejections, results that are not promises, and calls after the recording', async () => {
  const { sink } = recorded();
  const fault = new Error('of the game');
  const kept = Promise.resolve(1);
  const owner = { fail: () => Promise.reject(fault), plain: () => 5, kept: () => kept };
  let reported = 0;
  for (const name of ['fail', 'plain', 'kept']) {
    timePromise(sink, owner, name, () => {
      reported++;
      throw new Error('of the listener');
    });
  }
  await assert.rejects(owner.fail(), fault);
  assert.equal(owner.plain(), 5);
  assert.equal(reported, 0);
  assert.equal(await owner.kept(), 1);
  assert.equal(reported, 1);
  sink.on = false;
  assert.equal(owner.kept(), kept);
  assert.equal(
    watch(5, () => assert.fail('it is no promise')),
    5,
  );
});

/** A page clock that returns these times in order, then repeats the last one. */
async function clockOf(t: TestContext, times: () => number): Promise<() => number> {
  t.mock.method(performance, 'now', times);
  const fresh: string = `../src/sink/clock.ts?${Math.random()}`;
  const { now: clock } = await import(fresh);
  return clock;
}

test('the clock never decreases and is never negative', async (t) => {
  const times = [0, -5, 3, 2, 3.5, -1, 4];
  const clock = await clockOf(t, () => times.shift() ?? 4);
  assert.deepEqual([clock(), clock(), clock(), clock(), clock(), clock()], [0, 3, 3, 3.5, 3.5, 4]);
});

test('the clock returns its latest time when the page’s clock throws', async (t) => {
  let broken = false;
  const clock = await clockOf(t, () => {
    if (broken) throw new Error('of the page');
    return 7;
  });
  assert.equal(clock(), 7);
  broken = true;
  assert.equal(clock(), 7);
});

test('the clock is the one that the page had at the start, else the system’s', async (t) => {
  const clock = await clockOf(t, () => 7);
  t.mock.method(performance, 'now', () => 99);
  assert.equal(clock(), 7);
  const before = Date.now();
  const fallback = await clockOf(t, () => {
    throw new Error('no clock');
  });
  const time = fallback();
  assert.ok(time >= before && time <= Date.now());
});
