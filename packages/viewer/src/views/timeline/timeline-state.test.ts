import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { infoWith } from '../../../test/make-info.ts';
import { page, settle } from '../../../test/stand-in-page.ts';
import type { TraceInfo } from '../../client/trace-calls.ts';
import { budgetMs, selection } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { hitchBeside, selectHitch } from '../moment/hitches.ts';
import type { Timeline } from './timeline-data.ts';
import { lookAt, measured, timeline, visibleRange, wholeRange } from './timeline-state.ts';

const lasting = (duration: number): Timeline => ({ duration, tracks: [], gaps: [] });

async function show(duration: number, info: Partial<TraceInfo> = {}): Promise<void> {
  page.answers.timeline = () => lasting(duration);
  mainTrace.value = infoWith({ durationMs: duration, ...info });
  await settle();
}

beforeEach(() => {
  selection.value = null;
});

test('a trace is completely visible at first, and so is the next one', async () => {
  assert.deepEqual(wholeRange.value, { from: 0, to: 1 });
  await show(1000, { id: 'a' });
  assert.deepEqual(visibleRange.value, { from: 0, to: 1000 });
  visibleRange.value = { from: 100, to: 200 };
  await show(500, { id: 'b' });
  assert.deepEqual(visibleRange.value, { from: 0, to: 500 });
  await show(0, { id: 'c' });
  assert.deepEqual(
    [visibleRange.value, wholeRange.value],
    [
      { from: 0, to: 1 },
      { from: 0, to: 1 },
    ],
  );
});

test('while a trace grows a visible end stays visible, and any other view stays', async () => {
  await show(1000, { id: 'live' });
  await show(2000, { id: 'live', revision: 2 });
  assert.deepEqual(visibleRange.value, { from: 0, to: 2000 });
  visibleRange.value = { from: 1500, to: 2000 };
  await show(3000, { id: 'live', revision: 3 });
  assert.deepEqual(visibleRange.value, { from: 2500, to: 3000 });
  visibleRange.value = { from: 100, to: 200 };
  await show(4000, { id: 'live', revision: 4 });
  assert.deepEqual(visibleRange.value, { from: 100, to: 200 });
});

test('an answer about a replaced trace is ignored', async () => {
  const { promise, resolve } = Promise.withResolvers<Timeline>();
  page.answers.timeline = () => promise;
  mainTrace.value = infoWith({ id: 'slow' });
  await settle();
  await show(700, { id: 'quick' });
  resolve(lasting(99_000));
  await settle();
  assert.equal(timeline.value?.duration, 700);
  assert.deepEqual(visibleRange.value, { from: 0, to: 700 });
});

test('lookAt selects, and moves the view only if the range is not well visible', async () => {
  await show(100_000, { id: 'long' });
  lookAt({ from: 50_000, to: 50_100 });
  assert.deepEqual(selection.value, { from: 50_000, to: 50_100 });
  assert.deepEqual(visibleRange.value, { from: 49_600, to: 50_500 });
  lookAt({ from: 49_700, to: 49_800 });
  assert.deepEqual(visibleRange.value, { from: 49_600, to: 50_500 }, 'well in view');
  lookAt({ from: 49_500, to: 49_610 });
  assert.ok(visibleRange.value.from < 49_500, 'it began outside');
  lookAt({ from: 10, to: 10.5 });
  assert.deepEqual(visibleRange.value, { from: 0, to: 400.5 }, 'with some room, in the trace');
});

test('selectHitch starts at the selection, or else at the start of the view', async () => {
  const durations = [16, 50, 16, 90, 16];
  const starts = [0, 1000, 2000, 3000, 4000];
  page.answers.timeline = () => ({
    ...lasting(5000),
    tracks: [
      {
        kind: 'frames',
        id: 'frames/browser',
        label: 'Frame time',
        source: 'browser',
        t: Float64Array.from(starts),
        duration: Float64Array.from(durations),
      },
    ],
  });
  mainTrace.value = infoWith({ id: 'hitches' });
  await settle();
  selectHitch('later');
  assert.deepEqual(selection.value, { from: 1000, to: 1050 });
  selectHitch('later');
  assert.deepEqual(selection.value, { from: 3000, to: 3090 });
  selectHitch('later');
  assert.deepEqual(selection.value, { from: 3000, to: 3090 }, 'there is no other');
  selectHitch('earlier');
  assert.deepEqual(selection.value, { from: 1000, to: 1050 });
  budgetMs.value = 60;
  assert.deepEqual(hitchBeside(0, 'later'), { from: 3000, to: 3090 });
  selection.value = null;
  visibleRange.value = { from: 3500, to: 4000 };
  selectHitch('later');
  assert.equal(selection.value, null);
  measured.value = null;
  assert.equal(hitchBeside(0, 'later'), null);
});
