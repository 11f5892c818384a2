// Finding a moment by a range, a time or a number, and the reasons why there is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { findMoment, type MomentPlace } from './find-moment.ts';

const GAME = modelOf(
  traceFromText(`native browser
    0 browser:frames 10 80 10 40
    140 browser:loss hidden_tab 160
    300 browser:frames 10 90
    0 native:frames 10 300
    1000 native:process cpu=10 rss=100
    2000 native:process cpu=90 rss=150
    3000 native:process cpu=30 rss=400
  `),
);
const NATIVE = modelOf(
  traceFromText('native\n1000 process cpu=10 rss=1\n2500 process cpu=20 rss=2\n9000 mark m\n'),
);
const at = (t: number, precision_ms: number | null = null): MomentPlace => {
  return { kind: 'time', t, precision_ms };
};
const hitch = (number: number): MomentPlace => ({ kind: 'hitch', number });
const frameOf = (index: number, source = 'browser') => ({ source, index });

test('findMoment finds hitches by number, the longest first, without frames that overlap a loss', () => {
  assert.deepEqual(findMoment(GAME, hitch(1)), {
    ...{ kind: 'hitch', number: 1, frame: frameOf(1, 'native'), from_ms: 10, to_ms: 310 },
  });
  assert.deepEqual(findMoment(GAME, hitch(2)), {
    ...{ kind: 'hitch', number: 2, frame: frameOf(5), from_ms: 310, to_ms: 400 },
  });
  assert.deepEqual(findMoment(GAME, hitch(5)), { missing: 'not_listed', count: 4 });
  assert.deepEqual(findMoment(GAME, hitch(2), 100), { missing: 'not_listed', count: 1 });
});

test('findMoment finds the seconds with the most CPU time and the largest rise of memory', () => {
  const place = { number: 1, frame: null };
  assert.deepEqual(findMoment(GAME, { kind: 'cpu', number: 1 }), {
    ...{ kind: 'cpu', ...place, from_ms: 1000, to_ms: 2000 },
  });
  assert.deepEqual(findMoment(GAME, { kind: 'memory', number: 1 }), {
    ...{ kind: 'memory', ...place, from_ms: 2000, to_ms: 3000 },
  });
  assert.deepEqual(findMoment(GAME, { kind: 'memory', number: 3 }), {
    missing: 'not_listed',
    count: 2,
  });
});

test('findMoment finds the frame at a time, of the source with the most frames that has one', () => {
  const frame = { number: null, frame: frameOf(0) };
  assert.deepEqual(findMoment(GAME, at(0)), { kind: 'frame', ...frame, from_ms: 0, to_ms: 10 });
  assert.deepEqual(findMoment(GAME, at(9.999)), { kind: 'frame', ...frame, from_ms: 0, to_ms: 10 });
  assert.deepEqual(findMoment(GAME, at(10)), {
    ...{ kind: 'hitch', number: 3, frame: frameOf(1), from_ms: 10, to_ms: 90 },
  });
  assert.deepEqual(findMoment(GAME, at(10), 80), {
    ...{ kind: 'frame', number: null, frame: frameOf(1), from_ms: 10, to_ms: 90 },
  });
  assert.deepEqual(findMoment(GAME, at(200)), {
    ...{ kind: 'hitch', number: 1, frame: frameOf(1, 'native'), from_ms: 10, to_ms: 310 },
  });
  assert.deepEqual(findMoment(GAME, at(305)), {
    ...{ kind: 'frame', number: null, frame: frameOf(4), from_ms: 300, to_ms: 310 },
  });
  assert.deepEqual(findMoment(GAME, at(400)), { missing: 'no_frame' });
});

test('findMoment finds the longest hitch that overlaps a time with a precision', () => {
  const first = { kind: 'hitch', number: 3, frame: frameOf(1), from_ms: 10, to_ms: 90 };
  const second = { kind: 'hitch', number: 4, frame: frameOf(3), from_ms: 100, to_ms: 140 };
  const last = { kind: 'hitch', number: 2, frame: frameOf(5), from_ms: 310, to_ms: 400 };
  assert.deepEqual(findMoment(GAME, at(0, 1000)), last);
  assert.deepEqual(findMoment(GAME, at(0, 310)), first);
  assert.deepEqual(findMoment(GAME, at(89, 100)), first);
  assert.deepEqual(findMoment(GAME, at(90, 100)), second);
  // The hitch of the other source is longer, but that source has fewer frames.
  assert.deepEqual(findMoment(GAME, at(90, 10)), {
    ...{ kind: 'hitch', number: 1, frame: frameOf(1, 'native'), from_ms: 10, to_ms: 310 },
  });
  const frame = { kind: 'frame', number: null, frame: frameOf(0), from_ms: 0, to_ms: 10 };
  assert.deepEqual(findMoment(GAME, at(0, 10)), frame);
  assert.deepEqual(findMoment(GAME, at(0, 300), 500), frame);
  assert.deepEqual(findMoment(GAME, at(400, 1000)), { missing: 'no_frame' });
  assert.deepEqual(findMoment(NATIVE, at(1000, 1000)), {
    ...{ kind: 'second', number: null, frame: null, from_ms: 1000, to_ms: 2500 },
  });
  assert.deepEqual(findMoment(NATIVE, at(9000, 1000)), { missing: 'outside', duration_ms: 9000 });
});

test('findMoment prefers the source with the most frames, in any order, and ignores one without frames', () => {
  const two = modelOf(
    traceFromText('native browser\n0 native:frames 90\n0 browser:frames 10 80\n'),
  );
  assert.deepEqual(findMoment(two, at(20)), {
    ...{ kind: 'hitch', number: 2, frame: frameOf(1), from_ms: 10, to_ms: 90 },
  });
  const one = modelOf(traceFromText('browser\n500 frames 10\n900 mark m\n'));
  assert.deepEqual(findMoment(one, at(505)), {
    ...{ kind: 'frame', number: null, frame: frameOf(0), from_ms: 500, to_ms: 510 },
  });
  assert.deepEqual(findMoment(one, at(100)), { missing: 'no_frame' });
  assert.deepEqual(findMoment(one, at(510)), { missing: 'no_frame' });
  const none = modelOf(traceFromText('browser\n0 frames\n900 mark m\n'));
  assert.equal('kind' in findMoment(none, at(100)), true);
});

test('findMoment finds the time between samples, or the second, in a trace without frames', () => {
  const second = { kind: 'second', number: null, frame: null };
  assert.deepEqual(findMoment(NATIVE, at(999)), { ...second, from_ms: 0, to_ms: 1000 });
  assert.deepEqual(findMoment(NATIVE, at(1000)), { ...second, from_ms: 1000, to_ms: 2500 });
  assert.deepEqual(findMoment(NATIVE, at(2500)), { ...second, from_ms: 2000, to_ms: 3000 });
  assert.deepEqual(findMoment(NATIVE, at(5000)), { ...second, from_ms: 5000, to_ms: 6000 });
  const late = modelOf(traceFromText('native\n2500 process rss=1\n3750 process rss=1\n'));
  assert.deepEqual(findMoment(late, at(200)), { ...second, from_ms: 0, to_ms: 1000 });
  assert.deepEqual(findMoment(late, at(1500)), { ...second, from_ms: 1500, to_ms: 2500 });
  assert.deepEqual(findMoment(NATIVE, at(8999)), { ...second, from_ms: 8000, to_ms: 9000 });
});

test('findMoment cuts a range at the end of the trace, and rejects one after it', () => {
  const range = (from_ms: number, to_ms: number): MomentPlace => ({
    kind: 'range',
    from_ms,
    to_ms,
  });
  const found = { kind: 'range', number: null, frame: null };
  assert.deepEqual(findMoment(NATIVE, range(1000, 2000)), { ...found, from_ms: 1000, to_ms: 2000 });
  assert.deepEqual(findMoment(NATIVE, range(1, 9000)), { ...found, from_ms: 1, to_ms: 9000 });
  assert.deepEqual(findMoment(NATIVE, range(8999, 9500)), { ...found, from_ms: 8999, to_ms: 9000 });
  const outside = { missing: 'outside', duration_ms: 9000 };
  assert.deepEqual(findMoment(NATIVE, range(9000, 9500)), outside);
  assert.deepEqual(findMoment(NATIVE, at(9000)), outside);
});

test('findMoment finds nothing by time in stacks without times, and an empty list of each kind', () => {
  const folded = modelOf('a;b 3\n');
  assert.deepEqual(findMoment(folded, at(0)), { missing: 'no_times' });
  assert.deepEqual(findMoment(folded, { kind: 'range', from_ms: 0, to_ms: 1 }), {
    missing: 'no_times',
  });
  for (const kind of ['hitch', 'cpu', 'memory'] as const) {
    assert.deepEqual(findMoment(folded, { kind, number: 1 }), { missing: 'not_listed', count: 0 });
  }
});
