// The facts of a frame and of its neighbours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { framesAround } from './frame-facts.ts';

const GAME = modelOf(
  traceFromText(`browser
    0 frames 10 80 20 main_ms=4,70,- gpu_ms=-,2,1 draws=5,-,7 triangles=100,-,-
    15 asset 1 rock.png texture upload main_thread_ms=60
    95 loss late_sampler 2
  `),
);

test('framesAround returns the frame with the one before and the one after it', () => {
  const around = framesAround(GAME, { source: 'browser', index: 1 }, 20);
  assert.ok(around?.before && around.after);
  const { bound, causes, ...facts } = around.frame;
  assert.deepEqual(facts, {
    ...{ start_ms: 10, duration_ms: 80, main_ms: 70, gpu_ms: 2, draws: null, triangles: null },
    ...{ over_budget: true, lost: false },
  });
  assert.deepEqual(
    [bound.bound, bound.evidence, bound.over_ms, bound.index, bound.source],
    ['loading', 'main_thread', 60, 1, 'browser'],
  );
  assert.deepEqual(
    causes.map(({ kind, name, ms }) => [kind, name, ms]),
    [
      ['asset', 'rock.png', 60],
      ['unknown', null, 10],
    ],
  );
  const { before, after } = around;
  assert.deepEqual(
    [before.start_ms, before.main_ms, before.gpu_ms, before.draws, before.triangles],
    [0, 4, null, 5, 100],
  );
  assert.deepEqual([before.over_budget, before.lost, before.bound.over_ms], [false, false, 0]);
  assert.deepEqual(
    [after.start_ms, after.main_ms, after.draws, after.over_budget, after.lost],
    [90, null, 7, false, true],
  );
});

test('framesAround has no neighbour at the ends, and nothing for a frame that does not exist', () => {
  assert.equal(framesAround(GAME, { source: 'browser', index: 0 }, 20)?.before, null);
  assert.equal(framesAround(GAME, { source: 'browser', index: 2 }, 20)?.after, null);
  assert.equal(framesAround(GAME, { source: 'browser', index: 3 }, 20), null);
  assert.equal(framesAround(GAME, { source: 'browser', index: -1 }, 20), null);
  assert.equal(framesAround(GAME, { source: 'native', index: 0 }, 20), null);
});

test('the time of the main thread is that of the samples if no column has it', () => {
  const sampled = modelOf(
    traceFromText(`browser
      0 frames 10 10 10
      0 stacks main_[M];update_[S] 4000@0 | main_[M];update_[S] 6000@12 | main_[M];update_[S] 1000@29`),
  );
  const around = framesAround(sampled, { source: 'browser', index: 1 }, 20);
  assert.deepEqual(
    [around?.before?.main_ms, around?.frame.main_ms, around?.after?.main_ms],
    [4, 6, 1],
  );
});
