// Hitches, and the records within a window of time, of traces in the test notation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { findHitches, momentOf } from './moment.ts';

test('findHitches returns at most `limit` frames over budget, longest first, ties by time', () => {
  const model = modelOf(
    traceFromText(`native browser
      500 native:frames 10 40
      0 browser:frames 10 40 70 10
      900 browser:frames 300
      950 browser:loss hidden_tab 10
    `),
  );
  const hitches = findHitches(model, 10);
  assert.deepEqual(hitches, [
    { source: 'browser', index: 2, start_ms: 50, duration_ms: 70, over_ms: 60 },
    { source: 'browser', index: 1, start_ms: 10, duration_ms: 40, over_ms: 30 },
    { source: 'native', index: 1, start_ms: 510, duration_ms: 40, over_ms: 30 },
  ]);
  assert.deepEqual(findHitches(model, 10, 2), hitches.slice(0, 2));
});

test('findHitches returns at most a thousand by default', () => {
  const model = modelOf(traceFromText('browser\n0 frames 40*1001\n'));
  assert.equal(findHitches(model, 10).length, 1000);
  assert.equal(findHitches(model, 10, 2000).length, 1001);
});

test('a moment contains what overlaps it; an item without duration counts as a point', () => {
  const model = modelOf(
    traceFromText(`browser
      80 span 20 ends-there
      80 span 20.5 reaches-in
      150 span 9 inside
      199.5 span 9 reaches-out
      200 span 9 begins-after
      100 span 0 empty-at-its-start
      99.9 span 0 empty-before
      200 span 0 empty-at-its-end
      99.9 mark before
      100 mark first
      199.9 mark last
      200 mark after
      99.9 log info before
      100 log info first
      199.9 log info last
      200 log info after
      50 loss paused 50
      50 loss hidden_tab 51
      100 loss buffer_full
      200 loss late_sampler 9
    `),
  );
  const moment = momentOf(model, { from_ms: 100, to_ms: 200 });
  assert.deepEqual([moment.from_ms, moment.to_ms], [100, 200]);
  assert.deepEqual(
    moment.spans.map(({ item, within_ms }) => [item.name, within_ms]),
    [
      ['inside', 9],
      ['reaches-in', 0.5],
      ['reaches-out', 0.5],
      ['empty-at-its-start', 0],
    ],
  );
  assert.deepEqual(
    moment.marks.map(({ name }) => name),
    ['first', 'last'],
  );
  assert.deepEqual(
    moment.logs.map(({ text }) => text),
    ['first', 'last'],
  );
  assert.deepEqual(
    moment.losses.map(({ reason }) => reason),
    ['hidden_tab', 'buffer_full'],
  );
});

test('an asset lasts as long as its main-thread work, else its duration, else no time; ties go by time', () => {
  const model = modelOf(
    traceFromText(`browser
      100 asset 1 on-main data decode duration_ms=90 main_thread_ms=10
      140 asset 2 later data load duration_ms=20
      120 asset 3 earlier data load duration_ms=20
      150 asset 4 no-time data load
      20 asset 5 off-main data decode duration_ms=90 main_thread_ms=0
    `),
  );
  const { assets } = momentOf(model, { from_ms: 100, to_ms: 200 });
  assert.deepEqual(
    assets.map(({ item, within_ms }) => [item.name, within_ms]),
    [
      ['earlier', 20],
      ['later', 20],
      ['on-main', 10],
      ['no-time', 0],
    ],
  );
});

test('the stacks of a moment are weighed by its samples; trees without samples or times are left out', () => {
  const model = modelOf(
    traceFromText(`native browser
      0 native:stacks main;a 3
      1000 native:stacks main;a 4 | main;b 5
      5000 browser:stacks main 7
    `),
  );
  const { stacks } = momentOf(model, { from_ms: 1200, to_ms: 1300 });
  assert.deepEqual(
    stacks.map(({ source, tree }) => [
      source,
      tree.samples,
      [0, 1, 2].map((node) => tree.self.at(node)),
    ]),
    [['native', 2, [0, 4, 5]]],
  );
  const folded = modelOf('main;a 3\n');
  assert.equal(folded.stacks.length, 1);
  assert.deepEqual(momentOf(folded, { from_ms: 0, to_ms: 10 }).stacks, []);
});

test('momentOf returns everything that overlaps a hitch, heaviest first', () => {
  const model = modelOf(
    traceFromText(`browser
      0 frames 16 80 16
      10 asset 1 rock texture decode main_thread_ms=30
      40 asset 2 tree texture upload main_thread_ms=50
      96 asset 3 late texture upload main_thread_ms=5
      20 longtask 70
      16 mark level
      15.9 mark before
      0 span 200 all
      20 stacks main;decode 3 | main;idle 1
    `),
  );
  const [hitch] = findHitches(model, 20);
  assert.equal(hitch?.duration_ms, 80);
  const moment = momentOf(model, { from_ms: 16, to_ms: 96 });
  assert.deepEqual(
    moment.assets.map(({ item, within_ms }) => [item.name, within_ms]),
    [
      ['tree', 50],
      ['rock', 24],
    ],
  );
  assert.equal(moment.longtasks[0]?.within_ms, 70);
  assert.deepEqual(
    moment.marks.map((mark) => mark.name),
    ['level'],
  );
  assert.equal(moment.spans[0]?.within_ms, 80);
  assert.equal(moment.stacks[0]?.tree.samples, 2);
});
