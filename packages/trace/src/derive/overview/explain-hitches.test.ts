// The longest hitches with their causes, and the groups of hitches with the same cause.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { traceBounds } from '../bounds/frame-bounds.ts';
import { explainHitches, groupHitches } from './explain-hitches.ts';

const BUDGET = 10;

function explained(text: string, limit?: number) {
  const model = modelOf(traceFromText(text));
  const hitches = explainHitches(model, traceBounds(model, BUDGET).hitches, limit);
  return { hitches, groups: groupHitches(model, hitches) };
}

const MIXED = `browser
  0 frames 10 50 10 40 10 30 10 60 main_ms=5,48,5,38,5,28,5,58
  10 asset 1 a.png texture upload main_thread_ms=45
  70 asset 2 b.png texture upload main_thread_ms=35
  120 span 27 major gc
  160 asset 3 Lava shader compile main_thread_ms=57`;

test('hitches with the same first cause are a group, the one with the most time over budget first', () => {
  const { groups } = explained(MIXED);
  assert.deepEqual(
    groups.map(({ kind, name, asset, hitches, over_ms }) => [
      kind,
      name,
      asset?.phase,
      hitches,
      over_ms,
    ]),
    [
      ['asset', null, 'upload', 2, 70],
      ['asset', 'Lava', 'compile', 1, 50],
      ['gc', null, undefined, 1, 20],
    ],
  );
  assert.deepEqual(
    groups.map(({ share }) => share),
    [70 / 140, 50 / 140, 20 / 140],
  );
  assert.deepEqual(groups[0]?.worst, { source: 'browser', start_ms: 10, duration_ms: 50 });
  assert.deepEqual(groups[0]?.asset, { kind: 'texture', phase: 'upload' });
});

test('a group has the name that all its causes have', () => {
  const { groups } = explained(`browser
    0 frames 50 40 main_ms=48,38
    0 asset 1 a.png texture upload main_thread_ms=45
    50 asset 9 a.png texture upload main_thread_ms=35`);
  assert.deepEqual(
    groups.map(({ name, hitches }) => [name, hitches]),
    [['a.png', 2]],
  );
});

test('spans are grouped by name, and another span within the hitch is no situation', () => {
  const text = `import
    0 frames 50 5 40 5
    0 span 45 LoadPackage GameThread
    0 span 48 EventWait RenderThread
    55 span 38 LoadPackage GameThread
    55 span 39 EventWait RenderThread`;
  const rows = (all: string) =>
    explained(all).groups.map(({ kind, name, hitches, situation }) => [
      ...[kind, name, hitches],
      situation?.name,
    ]);
  assert.deepEqual(rows(text), [['span', 'LoadPackage', 2, undefined]]);
  const inLevel = `${text.replace(/.*EventWait.*\n?/g, '')}
    0 span 200 level loading
    900 mark end`;
  assert.deepEqual(rows(inLevel), [['span', 'LoadPackage', 2, 'level']]);
});

test('functions are grouped by name', () => {
  const { groups } = explained(`browser
    0 frames 50 50 40 10
    0 stacks main_[M];update_[S] 48000@0 | main_[M];draw_[S] 45000@50 | main_[M];update_[S] 39000@100 | main_[M];draw_[S] 10000@140`);
  assert.deepEqual(
    groups.map(({ kind, name, hitches }) => [kind, name, hitches]),
    [
      ['function', 'update', 2],
      ['function', 'draw', 1],
    ],
  );
});

test('a hitch without any cause is unknown, and of two equal groups the one with more hitches is first', () => {
  const { groups, hitches } = explained(`browser
    0 frames 30 20 20 main_ms=30,-,-
    0 asset 1 a.png texture upload main_thread_ms=30`);
  assert.equal(hitches.length, 3);
  assert.deepEqual(
    groups.map(({ kind, hitches: count, over_ms }) => [kind, count, over_ms]),
    [
      ['unknown', 2, 20],
      ['asset', 1, 20],
    ],
  );
});

test('only the longest hitches up to the limit are explained', () => {
  const { hitches, groups } = explained(MIXED, 2);
  assert.deepEqual(
    hitches.map(({ duration_ms, causes }) => [duration_ms, causes[0]?.name]),
    [
      [60, 'Lava'],
      [50, 'a.png'],
    ],
  );
  assert.equal(
    groups.reduce((sum, { hitches: count }) => sum + count, 0),
    2,
  );
  assert.deepEqual(explained('browser\n0 frames 10').groups, []);
});
