// Frames by their length in budgets, and the longest frame of each part of a recording.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { PARTS, pacingClass, pacingOf } from './pacing.ts';

function pacing(text: string) {
  const [first] = pacingOf(modelOf(traceFromText(text)), 10);
  assert.ok(first !== undefined);
  return first;
}

test('frames are counted by their length in budgets, with the tolerance of the budget', () => {
  assert.deepEqual(
    [5, 10, 10.5, 10.51, 20, 21, 21.01, 500].map((ms) => pacingClass(ms, 10)),
    [0, 0, 0, 1, 1, 1, 2, 2],
  );
  assert.deepEqual(pacing('browser\n0 frames 10*5 20*2 30').classes, [5, 2, 1]);
});

test('the parts have the longest frame that starts in them, and 0 where no frame was counted', () => {
  const { longest, part_ms, from_ms, stats } = pacing(`browser
    1000 frames 10*2399 40
    13000 loss hidden_tab 240`);
  assert.equal(longest.length, PARTS);
  assert.equal(from_ms, 1000);
  assert.equal(part_ms, (2399 * 10 + 40) / PARTS);
  assert.equal(longest[0], 10);
  assert.equal(longest.at(-1), 40);
  assert.deepEqual(
    [...longest.keys()].filter((part) => longest[part] === 0),
    [120, 121],
  );
  assert.equal(stats.left_out, 24);
  assert.equal(stats.count, 2400 - 24);
});

test('a source without counted frames has no classes, and a trace without frames no pacing', () => {
  const { classes, longest, stats } = pacing('browser\n0 frames 10 10\n0 loss hidden_tab 20');
  assert.deepEqual(classes, [0, 0, 0]);
  assert.equal(Math.max(...longest), 0);
  assert.equal(stats.average_fps, null);
  assert.equal(pacing('browser\n0 frames 0 0').longest[0], 0);
  assert.deepEqual(pacingOf(modelOf(traceFromText('native\n0 process cpu=1 rss=1')), 10), []);
});
