// The records of a recording with and without room in the log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KnownRecord } from '@svc/trace/write';
import type { Spool } from '../api.ts';
import { ByteLog } from './byte-log.ts';
import { attempt, formatLoss, quietly, Sink } from './sink.ts';

/** The bytes that a log reserves. */
const RESERVED = 4_096;

/** The most records that are pending for a write. */
const QUEUE_RECORDS = 16_384;

/** A mark whose line has 128 bytes: 64 of them are a batch. */
function mark(t: number): KnownRecord {
  const record = { type: 'mark', t, name: '' } as const;
  return { ...record, name: 'x'.repeat(127 - JSON.stringify(record).length) };
}

const BATCH_BYTES = 64 * 128;

function linesOf(log: ByteLog): Record<string, unknown>[] {
  const text = log
    .parts()
    .map((part) => new TextDecoder().decode(part))
    .join('');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('Sink.flush writes pending records once, in order, and counts them', () => {
  const log = new ByteLog(RESERVED + 4 * BATCH_BYTES);
  const sink = new Sink(log, undefined);
  const collected: boolean[] = [];
  sink.collects.push((all) => {
    collected.push(all);
    sink.write(mark(200));
  });
  for (let t = 0; t < 100; t++) sink.write(mark(t));
  assert.equal(sink.flush(true, false), true);
  assert.deepEqual(
    linesOf(log).map(({ t }) => t),
    [...Array.from({ length: 100 }, (_, t) => t), 200],
  );
  assert.deepEqual([sink.records, sink.lost, log.dropped], [101, 0, null]);
  assert.equal(sink.flush(false, false), true);
  assert.equal(linesOf(log).length, 102);
  assert.deepEqual(collected, [true, false]);
  sink.collects.length = 0;
  assert.equal(sink.flush(false, false), true);
  assert.equal(linesOf(log).length, 102);
});

test('a record that does not fit, and all that follow, are counted as lost if no batch may be dropped', () => {
  const log = new ByteLog(RESERVED + 2 * BATCH_BYTES);
  const sink = new Sink(log, undefined);
  for (let t = 0; t < 300; t++) sink.write(mark(t));
  assert.equal(sink.flush(true, false), false);
  assert.equal(linesOf(log).length, 128);
  assert.deepEqual([sink.records, sink.lost], [300, 172]);
  assert.deepEqual([log.dropped?.records, log.dropped?.bytes], [172, BATCH_BYTES]);
  assert.equal(log.dropped?.from, 128);
  assert.ok((log.dropped?.to ?? 0) >= 191);
  assert.equal(sink.flush(true, false), true, 'dropped records are no longer pending');
  assert.deepEqual([sink.records, sink.lost], [300, 172]);
});

test('a recording starts without work and losses', () => {
  const sink = new Sink(new ByteLog(RESERVED), undefined);
  assert.deepEqual(sink.work, { draws: 0, triangles: 0 });
  assert.deepEqual([sink.records, sink.lost, sink.frame], [0, 0, 0]);
});

test('records dropped before any time has passed are lost from 0 to 0', () => {
  const log = new ByteLog(RESERVED + BATCH_BYTES);
  const sink = new Sink(log, undefined);
  for (let i = 0; i < 128; i++) sink.write(mark(0));
  assert.equal(sink.flush(true, true), true);
  assert.deepEqual(log.dropped, { from: 0, to: 0, records: 64, bytes: BATCH_BYTES });
});

test('a single record that a full queue rejects is reported as a loss', () => {
  const log = new ByteLog(64 * 1024 * 1024);
  const sink = new Sink(log, undefined);
  for (let i = 0; i <= QUEUE_RECORDS; i++) sink.write({ type: 'mark', t: 0, name: 'm' });
  sink.flush(false, false);
  const losses = linesOf(log).filter(({ type }) => type === 'loss');
  assert.deepEqual(
    losses.map(({ count }) => count),
    [1],
  );
  assert.equal(sink.lost, 1);
});

test('if the oldest records may be dropped, the latest stay and the dropped ones are counted', () => {
  const log = new ByteLog(RESERVED + 2 * BATCH_BYTES);
  const spooled: string[] = [];
  const spool: Spool = {
    append: (bytes) => spooled.push(new TextDecoder().decode(bytes)),
    dropOldest: (bytes) => spooled.push(`drop ${bytes}`),
  };
  const sink = new Sink(log, spool);
  for (let t = 0; t < 192; t++) sink.write(mark(t));
  assert.equal(sink.flush(true, true), true);
  assert.deepEqual(
    linesOf(log).map(({ t }) => t),
    Array.from({ length: 128 }, (_, i) => 64 + i),
  );
  assert.deepEqual([sink.records, sink.lost], [192, 64]);
  assert.deepEqual(log.dropped, { from: 0, to: 63, records: 64, bytes: BATCH_BYTES });
  assert.equal(spooled.length, 5);
  assert.equal(spooled[3], `drop ${BATCH_BYTES}`);
  assert.deepEqual(JSON.parse(spooled[4] ?? ''), {
    type: 'loss',
    t: 0,
    reason: 'storage_cap',
    count: 64,
    duration_ms: 63,
  });
});

test('a full queue rejects records, and the trace states their number and duration', () => {
  const log = new ByteLog(64 * 1024 * 1024);
  const sink = new Sink(log, undefined);
  for (let t = 0; t < QUEUE_RECORDS + 3; t++) sink.write({ type: 'mark', t, name: 'm' });
  assert.equal(sink.flush(false, false), true);
  const lines = linesOf(log);
  assert.equal(lines.length, QUEUE_RECORDS + 1);
  assert.equal(lines[QUEUE_RECORDS - 1]?.['t'], QUEUE_RECORDS - 1);
  const { type, reason, count, duration_ms, t } = lines[QUEUE_RECORDS] ?? {};
  assert.deepEqual([type, reason, count], ['loss', 'buffer_full', 3]);
  assert.ok(Number(t) > 0 && Number(t) + Number(duration_ms) <= sink.now() + 0.001);
  assert.equal(sink.lost, 3);
  sink.write({ type: 'mark', t: 1, name: 'm' });
  sink.flush(false, false);
  assert.equal(sink.lost, 3, 'a loss is counted once');
  assert.equal(linesOf(log).filter((line) => line['type'] === 'loss').length, 1);
});

test('a loss of rejected records lasts from the first one to the write, and the next loss is separate', async () => {
  const log = new ByteLog(64 * 1024 * 1024);
  const sink = new Sink(log, undefined);
  const refuse = async (): Promise<readonly [number, number, number, number]> => {
    for (let i = 0; i < QUEUE_RECORDS; i++) sink.write({ type: 'mark', t: 0, name: 'm' });
    const before = sink.now();
    sink.write({ type: 'mark', t: 0, name: 'm' });
    const after = sink.now();
    await sleep(5);
    sink.write({ type: 'mark', t: 0, name: 'm' });
    const last = sink.now();
    sink.flush(false, false);
    return [before, after, last, sink.now()];
  };
  const rounds = [await refuse(), await refuse()];
  const losses = linesOf(log).filter(({ type }) => type === 'loss');
  assert.equal(losses.length, rounds.length);
  for (const [i, [before, after, last, written]] of rounds.entries()) {
    const [t, end] = [Number(losses[i]?.['t']), Number(losses[i]?.['duration_ms'])];
    assert.ok(t >= before - 0.001 && t <= after + 0.001, `${before} ${t} ${after}`);
    assert.ok(t + end >= last - 0.002 && t + end <= written + 0.002, `${t} + ${end} to ${last}`);
    assert.equal(losses[i]?.['count'], 2);
  }
  assert.equal(sink.lost, 4);
});

test('a batch lasts until the end of its last record', () => {
  const frames: KnownRecord = { type: 'frames', t: 10, duration_ms: [5, 6, 7] };
  const span = (duration_ms: number): KnownRecord => ({
    type: 'span',
    t: 1,
    name: 'n',
    duration_ms,
  });
  const rows: [KnownRecord[], number, number][] = [
    [[frames, span(20)], 1, 28],
    [[span(35), frames], 1, 36],
    [[{ type: 'asset', t: 9, id: 1, name: 'n', kind: 'data', phase: 'load' }], 9, 9],
  ];
  for (const [records, from, to] of rows) {
    const log = new ByteLog(RESERVED + 450);
    const sink = new Sink(log, undefined);
    for (const record of records) sink.write(record);
    sink.flush(true, true);
    for (let t = 40; t < 43; t++) sink.write(mark(t));
    sink.flush(true, true);
    const { dropped } = log;
    assert.deepEqual([dropped?.from, dropped?.to, dropped?.records], [from, to, records.length]);
  }
});

test('an exception of a spool or a part is not visible, and all other records are written', () => {
  const log = new ByteLog(RESERVED + BATCH_BYTES);
  const fault = () => {
    throw new Error('broken');
  };
  const sink = new Sink(log, { append: fault, dropOldest: fault });
  sink.collects.push(fault, () => sink.write(mark(1)));
  assert.equal(sink.flush(false, false), true);
  assert.equal(linesOf(log).length, 1);
  assert.equal(attempt(fault), undefined);
  assert.equal(
    attempt(() => 7),
    7,
  );
  quietly(fault);
});

test('a missing part is reported once, and times before the start are 0', () => {
  const log = new ByteLog(RESERVED + BATCH_BYTES);
  const sink = new Sink(log, undefined);
  sink.skip('gpu', 'no extension');
  sink.skip('gpu', 'another reason');
  sink.skip('memory', 'no API');
  sink.flush(true, false);
  assert.deepEqual(sink.missing, [
    { what: 'gpu', why: 'no extension' },
    { what: 'memory', why: 'no API' },
  ]);
  assert.deepEqual(
    linesOf(log).map(({ type, level, text }) => [type, level, text]),
    [
      ['log', 'info', 'not recorded: gpu: no extension'],
      ['log', 'info', 'not recorded: memory: no API'],
    ],
  );
  assert.equal(sink.since(sink.origin - 5), 0);
  assert.equal(sink.since(sink.origin + 2.5), 2.5);
  assert.equal(sink.since(sink.origin + 2.500_4), 2.5);
});

test('formatLoss writes the start and the duration of a loss, never negative', () => {
  const line = (from: number, to: number) => JSON.parse(formatLoss({ from, to, records: 7 }));
  const loss = { type: 'loss', reason: 'storage_cap', count: 7 };
  assert.deepEqual(line(1.000_4, 3.5), { ...loss, t: 1, duration_ms: 2.5 });
  assert.deepEqual(line(5, 3), { ...loss, t: 5, duration_ms: 0 });
});
