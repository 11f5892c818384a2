import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatHeader,
  formatRecord,
  LINE_BYTES,
  roundMs,
  type StacksRecord,
  TraceModelBuilder,
  VptReader,
} from '@svc/trace';
import fc from 'fast-check';
import { type Frame, NAME_CHARACTERS, SAMPLE_MS, StackTable } from './stack-table.ts';

/** Reads the records as a trace reader does. Throws if they are invalid. */
function readBack(records: readonly StacksRecord[]) {
  const builder = new TraceModelBuilder();
  const reader = new VptReader(builder);
  const header = formatHeader({
    vpt: 1,
    producer: { name: 'test', version: '1' },
    started_at: null,
    sources: ['native'],
  });
  reader.push(new TextEncoder().encode(header + records.map(formatRecord).join('')));
  reader.finish();
  return builder.snapshot();
}

const frame = (name: string): Frame => ({ name, category: '' });
const SECOND = { t: 0, durationMs: 1000 };

test('StackTable: nothing is recorded twice, and samples of one stack without times are one', () => {
  const table = new StackTable();
  const kernel: Frame = { name: 'read', category: 'kernel' };
  table.add([frame('main'), frame('read')], [null, null]);
  table.add([frame('main'), frame('read')], [null]);
  table.add([frame('main'), kernel], [null]);
  const [first] = table.take(SECOND);
  assert.deepEqual(first?.names, ['main', 'read']);
  assert.deepEqual(first?.categories, ['', '', 'kernel']);
  assert.deepEqual(first?.samples, { node: [1, 2], weight: [30_303, 10_101] });
  assert.deepEqual([first?.unit, first?.scale], ['ms', 1000]);
  assert.deepEqual(table.take(SECOND), []);
  table.add([frame('main'), kernel, frame('deeper')], [null]);
  const [second] = table.take({ t: 1000, durationMs: 999.5 });
  assert.deepEqual(
    [second?.t, second?.duration_ms, second?.first_name, second?.names, second?.first_node],
    [1000, 999.5, 2, ['deeper'], 3],
  );
  assert.deepEqual([second?.parents, second?.node_names], [[2], [2]]);
});

test('StackTable: samples with times are entries of their own in the order of time, and their record spans exactly these', () => {
  const table = new StackTable();
  table.add([frame('main'), frame('a')], [120.5, 100.25]);
  table.add([frame('main')], [110]);
  const [record, ...more] = table.take(SECOND);
  assert.deepEqual([record?.t, record?.duration_ms, more], [100.25, 30.351, []]);
  assert.deepEqual(record?.samples, {
    node: [1, 0, 1],
    weight: [10_101, 10_101, 10_101],
    at_ms: [0, 9.75, 20.25],
  });
});

test('StackTable: samples without times are in a record of their own, after those with times', () => {
  const table = new StackTable();
  table.add([frame('main')], [null, 5]);
  const records = table.take(SECOND);
  assert.deepEqual(
    records.map(({ t, duration_ms, names, samples }) => [t, duration_ms, names, samples]),
    [
      [5, SAMPLE_MS, ['main'], { node: [0], weight: [10_101], at_ms: [0] }],
      [0, 1000, [], { node: [0], weight: [10_101] }],
    ],
  );
  readBack(records);
});

test('StackTable: the records of any stacks are a valid trace with every sample at its time', () => {
  const frames = fc.array(
    fc.record({
      name: fc.string({ unit: 'grapheme', maxLength: 4 }),
      category: fc.constantFrom('' as const, 'kernel' as const, 'jit' as const, 'main' as const),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const micros = fc.integer({ min: 0, max: 100_000_000 });
  const start = fc.option(micros.map((us) => us / 1000));
  const starts = fc.array(start, { minLength: 1, maxLength: 9 });
  const second = fc.array(fc.tuple(frames, starts), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(second, { maxLength: 5 }), (seconds) => {
      const table = new StackTable();
      const records = seconds.flatMap((stacks, t) => {
        for (const [stack, at] of stacks) assert.ok(table.add(stack, at));
        return table.take({ t, durationMs: 1 });
      });
      readBack(records);
      const reported = records.flatMap(({ samples }) => samples.weight.map(Number));
      const given = seconds.flat().flatMap(([, at]) => at);
      assert.equal(sum(reported), given.length * 10_101);
      const times = records.flatMap(({ t, duration_ms = 0, samples: { at_ms = [] } }) => {
        for (const at of at_ms) assert.ok(at >= 0 && at + SAMPLE_MS <= duration_ms + 1e-6);
        return at_ms.map((at) => roundMs(t + at));
      });
      assert.deepEqual(times.sort(ascending), given.filter((at) => at !== null).sort(ascending));
    }),
  );
});

test('StackTable: names of the greatest length and stacks of the greatest depth fit into lines', () => {
  const table = new StackTable();
  for (let stack = 0; stack < 20; stack++) {
    const wide = (depth: number): Frame => ({
      name: `${stack} ${depth} `.padEnd(NAME_CHARACTERS, '漢'),
      category: 'unknown',
    });
    assert.ok(
      table.add(
        Array.from({ length: 145 }, (_, depth) => wide(depth)),
        [null],
      ),
    );
  }
  const latest = Array.from({ length: 30_000 }, (_, i) => 9_007_199_254_000.123 - (i % 2) * 9e12);
  assert.ok(table.add([frame('')], latest));
  const records = table.take(SECOND);
  for (const record of records) assert.ok(Buffer.byteLength(formatRecord(record)) <= LINE_BYTES);
  readBack(records);
});

test('StackTable: a full table rejects new stacks and still counts known ones', () => {
  const table = new StackTable(3);
  assert.ok(table.add([frame('a'), frame('b')], [null]));
  assert.equal(table.add([frame('a'), frame('c'), frame('d')], [null]), false);
  assert.ok(table.add([frame('a'), frame('b')], [null]));
  assert.ok(table.add([frame('a')], [null]));
  const records = table.take(SECOND);
  assert.deepEqual(records[0]?.samples, { node: [1, 0], weight: [20_202, 10_101] });
  readBack(records);
});

function ascending(a: number, b: number): number {
  return a - b;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
