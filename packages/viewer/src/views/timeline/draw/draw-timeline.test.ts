import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import { modelOf } from '../../../../test/build-trace.ts';
import { COLOURS, notePen } from '../../../../test/note-pen.ts';
import type { TimeRange } from '../../../draw/time-axis.ts';
import { deriveTimeline } from '../derive-timeline.ts';
import { noteTracks } from '../layout/note-tracks.ts';
import { trackRows } from '../layout/track-rows.ts';
import { drawOverview } from './draw-overview.ts';
import { drawTimeline, RECORD_TOKENS } from './draw-timeline.ts';
import { withAlpha } from './scale-text.ts';

/** A picture of 1,000 pixels. */
function draw(records: readonly TraceRecord[], view: TimeRange, budgetMs = 1000 / 60) {
  const model = modelOf(...records);
  const { tracks, gaps } = deriveTimeline(model);
  const { rows, height } = trackRows([...noteTracks(model.notes), ...tracks]);
  const noted = notePen();
  const picture = { rows, gaps, view, width: 1000, height, budgetMs, colours: COLOURS };
  drawTimeline(noted.pen, picture);
  return { ...noted, rows };
}

const SLOW: TraceRecord = { type: 'frames', t: 0, duration_ms: [10, 20, 50] };
const heights = (rects: { height: number }[]): number[] =>
  rects.map(({ height }) => Math.round(height));

test('zoomed in, each frame is drawn separately in the colour of its band', () => {
  const { rects, rows } = draw([SLOW], { from: 0, to: 100 });
  const placed = (token: string) =>
    rects(token).map(({ x, width, height }) => [x, width, Math.round(height * 10) / 10]);
  const room = (rows[0]?.height ?? 0) - 8;
  assert.deepEqual(placed('frame-within'), [[0, 99, 20.4]]);
  assert.deepEqual(placed('frame-over'), [[100, 199, 40.8]]);
  assert.deepEqual(placed('frame-far'), [[300, 499, room]]);
});

const CROWD: TraceRecord = { type: 'frames', t: 0, duration_ms: [10, 10, 250, 700, 10] };

test('zoomed out, the longest frame of each pixel is drawn, and the slowest frame reaches the top', () => {
  const { rects, rows } = draw([CROWD], { from: 0, to: 100_000 });
  const room = (rows[0]?.height ?? 0) - 8;
  const tall = heights(rects('frame-far'));
  assert.equal(tall.length, 10);
  assert.deepEqual(tall.slice(-7), new Array(7).fill(room));
  assert.ok((tall[1] ?? 0) < room * 0.85, `250 ms and 700 ms differ: ${tall}`);
  assert.equal(rects('frame-within').length, 0);
});

test('a slow frame in a gap does not change the scale, and is cut at the top', () => {
  const lost: TraceRecord = { type: 'loss', t: 300, reason: 'hidden_tab', duration_ms: 10 };
  const { texts, rects, rows } = draw([CROWD, lost], { from: 0, to: 1000 });
  assert.ok(texts().includes('250 ms'), texts().join());
  assert.ok(!texts().includes('700 ms'));
  assert.equal(Math.max(...heights(rects('frame-far'))), (rows[0]?.height ?? 0) - 8);
});

const scaleOf = (records: readonly TraceRecord[], budgetMs: number): string[] =>
  draw(records, { from: 0, to: 100 }, budgetMs)
    .texts()
    .filter((text) => text.includes(' ms'));

test('the scale is labelled by the budget, and where it changes', () => {
  assert.deepEqual(scaleOf([SLOW], 1000 / 60), ['budget 16.7 ms', '2× 33.3 ms', '3× 50 ms']);
  assert.deepEqual(scaleOf([SLOW], 25), ['budget 25 ms', '2× 50 ms', '3× 75 ms']);
  assert.deepEqual(scaleOf([CROWD], 1000 / 60), [
    'budget 16.7 ms',
    '2× 33.3 ms',
    'logarithmic above 50 ms',
    '3× 50 ms',
    '100 ms',
    '200 ms',
    '700 ms',
  ]);
});

test('a gap is hatched on the tracks of its source, or on all, however short it is', () => {
  const process: TraceRecord = { type: 'process', t: 0, rss_bytes: 5, source: 'native' };
  const loss = (more: Partial<TraceRecord>) =>
    ({ type: 'loss', t: 40, reason: 'hidden_tab', duration_ms: 10, ...more }) as TraceRecord;
  const gapsOf = (...losses: TraceRecord[]) => {
    const { rects, rows } = draw([process, SLOW, ...losses], { from: 0, to: 100 });
    const [native, browser] = rows;
    return rects('surface-sunken').map(({ x, y, width }) => {
      const on = y === native?.top ? 'native' : y === browser?.top ? 'browser' : 'elsewhere';
      return [on, x, width];
    });
  };
  assert.deepEqual(gapsOf(loss({ source: 'browser' })), [['browser', 400, 100]]);
  assert.deepEqual(gapsOf(loss({})), [
    ['native', 400, 100],
    ['browser', 400, 100],
  ]);
  assert.deepEqual(gapsOf(loss({ source: 'native', duration_ms: 0 } as Partial<TraceRecord>)), [
    ['native', 400, 2],
  ]);
  assert.deepEqual(gapsOf(loss({ t: 200 })), []);
});

test('each line of a track has its own colour, and the scale is labelled in its unit', () => {
  const process = (t: number, rss: number, pss: number): TraceRecord => {
    return { type: 'process', t, rss_bytes: rss * 2 ** 20, pss_bytes: pss * 2 ** 20 };
  };
  const { lines, texts } = draw([process(0, 64, 32), process(100, 100, 50)], { from: 0, to: 100 });
  const [rss] = lines('data-1');
  const [pss] = lines('data-3');
  assert.deepEqual(
    [rss?.xs, pss?.xs],
    [
      [0, 1000],
      [0, 1000],
    ],
  );
  assert.ok((rss?.ys[1] ?? 0) < (rss?.ys[0] ?? 0), 'more is higher');
  assert.ok((pss?.ys[0] ?? 0) > (rss?.ys[0] ?? 0));
  assert.ok(texts().includes('64.0 MiB'), texts().join(', '));
});

test('the axis is labelled as on a clock, in steps that fit', () => {
  const axis = (view: TimeRange): string[] => draw([], view).texts();
  assert.deepEqual(axis({ from: 0, to: 2000 }), [
    '0:00.0',
    '0:00.2',
    '0:00.4',
    '0:00.6',
    '0:00.8',
    '0:01.0',
    '0:01.2',
    '0:01.4',
    '0:01.6',
    '0:01.8',
    '0:02.0',
  ]);
  assert.deepEqual(axis({ from: 61_500, to: 64_000 }).at(0), '1:01.5');
});

test('the name of a range is in its bar, after a bar that is too short, or left out between two bars', () => {
  const note = (id: number, t: number, duration_ms: number, text: string): TraceRecord => {
    return { type: 'note', id, t, duration_ms, text };
  };
  const { texts, rects } = draw(
    [
      note(1, 0, 20, 'boss fight'),
      note(2, 25, 2, 'door'),
      note(3, 40, 1, 'no room'),
      note(4, 42, 10, 'level 2'),
      { type: 'mark', t: 100, name: 'end' },
    ],
    { from: 0, to: 100 },
  );
  assert.deepEqual(
    texts().filter((text) => /^[a-z]/.test(text)),
    ['boss fight', 'door', 'level 2'],
  );
  assert.equal(rects('accent').length, 4);
});

test('intervals and points are labelled if there is room', () => {
  const span = (t: number, duration_ms: number, name: string): TraceRecord => {
    return { type: 'span', t, duration_ms, name };
  };
  const mark = (t: number, name: string): TraceRecord => ({ type: 'mark', t, name });
  const { texts, rects } = draw(
    [
      span(0, 10, 'wide'),
      span(20, 4, 'narrow'),
      span(500, 10, 'far'),
      mark(10, 'a'),
      mark(12, 'b'),
      mark(60, 'c'),
    ],
    { from: 0, to: 100 },
  );
  assert.deepEqual(
    texts().filter((text) => /^[a-z]/.test(text)),
    ['wide', 'b', 'c'],
  );
  assert.deepEqual(
    rects('data-5').map(({ x, width }) => [x, width]),
    [
      [0, 100],
      [200, 40],
    ],
  );
  assert.deepEqual(
    rects('data-4').map(({ x }) => x),
    [100, 120, 600],
  );
});

test('a label that does not fit is shortened, a path in its middle', () => {
  const name = 'https://cdn.example/textures/rock.ktx2';
  const { texts } = draw([{ type: 'span', t: 0, duration_ms: 10, name }], { from: 0, to: 100 });
  assert.ok(texts().includes('https…/rock.ktx2'), texts().join());
});

test('a higher row of values has more values on its scale', () => {
  const { tracks } = deriveTimeline(
    modelOf({ type: 'counter', t: 0, name: 'a', unit: 'count', value: 100 }),
  );
  const labels = (room: number): number => {
    const { rows, height } = trackRows(tracks, room);
    const { pen, texts } = notePen();
    const look = { width: 1000, height, budgetMs: 10, colours: COLOURS };
    drawTimeline(pen, { rows, gaps: [], view: { from: 0, to: 1 }, ...look });
    return texts().filter((text) => !text.includes(':')).length;
  };
  assert.deepEqual([labels(0), labels(1000)], [2, 6]);
});

test('each kind of track has its colour', () => {
  const { tracks } = deriveTimeline(
    modelOf(
      { type: 'longtask', t: 0, duration_ms: 60 },
      { type: 'asset', t: 0, id: 1, name: 'a', kind: 'mesh', phase: 'load' },
      { type: 'span', t: 0, duration_ms: 1, name: 's' },
      { type: 'mark', t: 0, name: 'm' },
      { type: 'log', t: 0, level: 'info', text: 'l' },
    ),
  );
  const tokens = tracks.map((track) => 'record' in track && RECORD_TOKENS[track.record]);
  assert.deepEqual(tokens, ['data-2', 'data-3', 'data-5', 'data-4', 'data-6']);
  assert.equal(withAlpha('rgb(1, 2, 3)', 0.5), 'rgba(1, 2, 3, 0.5)');
});

test('the overview shows the longest frames over the first line, and all gaps', () => {
  const timeline = deriveTimeline(
    modelOf(
      { type: 'process', t: 0, rss_bytes: 10, source: 'native' },
      { type: 'process', t: 1000, rss_bytes: 20, source: 'native' },
      { type: 'frames', t: 0, duration_ms: [10, 50] },
      { type: 'loss', t: 500, reason: 'hidden_tab', duration_ms: 100, source: 'browser' },
    ),
  );
  const { pen, rects, lines } = notePen();
  const look = { height: 40, budgetMs: 1000 / 60, colours: COLOURS };
  drawOverview(pen, timeline, { ...look, whole: { from: 0, to: 1000 }, width: 100 });
  assert.deepEqual([lines('data-1')[0]?.xs.at(0), lines('data-1')[0]?.xs.at(-1)], [0, 100]);
  assert.deepEqual(
    rects('frame-far').map(({ x, height }) => [x, Math.round(height)]),
    [1, 2, 3, 4, 5].map((x) => [x, 40]),
  );
  assert.deepEqual(heights(rects('frame-within')), [8]);
  assert.deepEqual(
    rects('surface-sunken').map(({ x, width }) => [x, width]),
    [
      [0, 100],
      [50, 10],
    ],
  );
  const long = deriveTimeline(modelOf({ type: 'frames', t: 0, duration_ms: [500] }));
  const strip = notePen();
  drawOverview(strip.pen, long, { ...look, whole: { from: 0, to: 500 }, width: 10 });
  assert.deepEqual(heights(strip.rects('frame-far')), new Array(10).fill(40));
});
