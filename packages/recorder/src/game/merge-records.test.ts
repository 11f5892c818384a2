import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRecord } from '@svc/trace';
import { RecordMerger } from './merge-records.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"c","version":"1"},"started_at":null,"sources":["browser"]}\n';
const NONE = { own: 0, transferred: 0, worker: false };

function merger(): { merged: RecordMerger; records: KnownRecord[] } {
  const records: KnownRecord[] = [];
  return {
    merged: new RecordMerger(
      (record) => records.push(record),
      (name) => name,
    ),
    records,
  };
}

/** The clocks of a document whose trace began `ms` after Unix time 1,000,000, with a page clock that began 5 ms before. */
function began(ms: number) {
  return { mark: 'm', began: 5, marked: 5, origin: 999_995 + ms };
}

const line = (record: object): string => `${JSON.stringify(record)}\n`;

test('times of all documents count from the first one, and ids of assets stay apart', () => {
  const { merged, records } = merger();
  const page = merged.add('page', began(0), 'page');
  const worker = merged.add('worker', began(250), 'worker');
  const asset = { type: 'asset', t: 10, id: 1, name: 'a.png', kind: 'texture', phase: 'load' };
  page.readLines(HEADER + line(asset));
  worker.readLines(HEADER + line(asset));
  assert.deepEqual(
    records.map((record) => [record.t, record.type === 'asset' && record.id]),
    [
      [10, 1],
      [260, '1:1'],
    ],
  );
});

test('only one document gives the frames, and they never overlap', () => {
  const { merged, records } = merger();
  const page = merged.add('page', began(0), 'page');
  const frame = merged.add('frame', began(0), 'frame');
  page.readLines(HEADER + line({ type: 'frames', t: 0, duration_ms: [16, 16, 16] }));
  // The frame now has the largest canvas. Its first two frames are those that the page has already given.
  frame.surface = { ...NONE, own: 640 * 400 };
  frame.readLines(
    HEADER + line({ type: 'frames', t: 16, duration_ms: [16, 16, 90, 16], draws: [1, 2, 3, 4] }),
  );
  page.readLines(line({ type: 'frames', t: 48, duration_ms: [16, 16] }));
  assert.deepEqual(records, [
    { type: 'frames', t: 0, duration_ms: [16, 16, 16] },
    { type: 'frames', t: 48, duration_ms: [90, 16], draws: [3, 4] },
  ]);
  assert.equal(merged.game, frame);
  const { frames, hitches, duration_ms } = merged.counts;
  assert.deepEqual([frames, hitches, duration_ms], [5, 1, 154]);
});

test('frames that were already given are dropped whole', () => {
  const { merged, records } = merger();
  const page = merged.add('page', began(0), 'page');
  page.readLines(HEADER + line({ type: 'frames', t: 0, duration_ms: [16, 16] }));
  page.readLines(line({ type: 'frames', t: 8, duration_ms: [16] }));
  assert.equal(records.length, 1);
});

test('a worker gives the frames if it draws the largest canvas', () => {
  const { merged, records } = merger();
  const page = merged.add('page', began(0), 'page');
  const helper = merged.add('worker', began(0), 'worker');
  const worker = merged.add('worker', began(0), 'worker 2');
  for (const document of [page, helper, worker]) document.readLines(HEADER);
  worker.surface = { ...NONE, worker: true };
  const frames = (ms: number) => line({ type: 'frames', t: 0, duration_ms: [ms] });
  worker.readLines(frames(1));
  assert.equal(records.length, 0, 'the page has not given its canvas to a worker');
  page.surface = { ...NONE, own: 100, transferred: 400 };
  page.readLines(frames(2));
  helper.readLines(frames(3));
  worker.readLines(frames(4));
  assert.deepEqual(records, [{ type: 'frames', t: 0, duration_ms: [4] }]);
  assert.equal(merged.game, worker);
});

test('work of another thread than that of the frames is not main-thread work', () => {
  const { merged, records } = merger();
  const page = merged.add('page', began(0), 'page');
  const inner = merged.add('page', began(0), 'page');
  const worker = merged.add('worker', began(0), 'worker');
  const asset = { type: 'asset', t: 10, id: 1, name: 'a.png', kind: 'texture', phase: 'upload' };
  const upload = HEADER + line({ ...asset, main_thread_ms: 5 });
  const times = (): unknown[] =>
    records
      .splice(0)
      .map((record) => record.type === 'asset' && [record.duration_ms, record.main_thread_ms]);
  for (const document of [page, inner, worker]) document.readLines(upload);
  assert.deepEqual(times(), [
    [undefined, 5],
    [undefined, 5],
    [5, undefined],
  ]);
  page.surface = { ...NONE, transferred: 400 };
  worker.surface = { ...NONE, worker: true };
  for (const document of [page, worker]) {
    document.readLines(line({ ...asset, duration_ms: 9, main_thread_ms: 5 }));
  }
  assert.deepEqual(times(), [
    [9, undefined],
    [9, 5],
  ]);
});

test('counters, losses and logs are those of the page and the document that draws', () => {
  const { merged, records } = merger();
  const page = merged.add('page', began(0), 'page');
  const frame = merged.add('frame', began(0), 'frame');
  const other = merged.add('frame', began(0), 'frame');
  frame.surface = { ...NONE, own: 1 };
  for (const [value, document] of [page, frame, other].entries()) {
    document.readLines(
      HEADER +
        line({ type: 'counter', t: 1, name: 'n', unit: 'count', value }) +
        line({ type: 'loss', t: value, reason: 'hidden_tab', duration_ms: 1 }),
    );
  }
  assert.deepEqual(
    records.map((record) => (record.type === 'counter' ? record.value : record.type)),
    [0, 1, 'loss'],
  );
});

test('a document that passes on anything else than a trace is not read any more', () => {
  const { merged, records } = merger();
  const page = merged.add('page', began(0), 'page');
  page.readLines(`${HEADER}nonsense\n`);
  page.readLines(line({ type: 'mark', t: 1, name: 'after' }));
  assert.deepEqual(records, []);
});
