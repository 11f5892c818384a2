import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatHeader,
  formatRecord,
  LINE_BYTES,
  type StacksRecord,
  TraceModelBuilder,
  VptReader,
} from '@svc/trace';
import fc from 'fast-check';
import { type Frame, NAME_CHARACTERS, StackTable } from './stack-table.ts';

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

test('StackTable: nothing is recorded twice, and equal stacks are one sample', () => {
  const table = new StackTable();
  const kernel: Frame = { name: 'read', category: 'kernel' };
  table.add([frame('main'), frame('read')], 2);
  table.add([frame('main'), frame('read')], 3);
  table.add([frame('main'), kernel], 1);
  const [first] = table.take(SECOND);
  assert.deepEqual(first?.names, ['main', 'read']);
  assert.deepEqual(first?.categories, ['', '', 'kernel']);
  assert.deepEqual(first?.samples, { node: [1, 2], weight: [5, 1] });
  assert.deepEqual(table.take(SECOND), []);
  table.add([frame('main'), kernel, frame('deeper')], 4);
  const [second] = table.take({ t: 1000, durationMs: 999.5 });
  assert.deepEqual(
    [second?.t, second?.duration_ms, second?.first_name, second?.names, second?.first_node],
    [1000, 999.5, 2, ['deeper'], 3],
  );
  assert.deepEqual([second?.parents, second?.node_names], [[2], [2]]);
});

test('StackTable: the records of any stacks are a valid trace with every sample', () => {
  const frames = fc.array(
    fc.record({
      name: fc.string({ unit: 'grapheme', maxLength: 4 }),
      category: fc.constantFrom('' as const, 'kernel' as const, 'jit' as const),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const second = fc.array(fc.tuple(frames, fc.integer({ min: 1, max: 99 })), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(second, { maxLength: 5 }), (seconds) => {
      const table = new StackTable();
      const records = seconds.flatMap((stacks, t) => {
        for (const [stack, weight] of stacks) assert.ok(table.add(stack, weight));
        return table.take({ t, durationMs: 1 });
      });
      readBack(records);
      const reported = records.flatMap(({ samples }) => samples.weight.map(Number));
      const given = seconds.flat().map(([, weight]) => weight);
      assert.equal(sum(reported), sum(given));
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
        1,
      ),
    );
  }
  const records = table.take(SECOND);
  for (const record of records) assert.ok(Buffer.byteLength(formatRecord(record)) <= LINE_BYTES);
  readBack(records);
});

test('StackTable: a full table rejects new stacks and still counts known ones', () => {
  const table = new StackTable(3);
  assert.ok(table.add([frame('a'), frame('b')], 1));
  assert.equal(table.add([frame('a'), frame('c'), frame('d')], 1), false);
  assert.ok(table.add([frame('a'), frame('b')], 1));
  assert.ok(table.add([frame('a')], 1));
  const records = table.take(SECOND);
  assert.deepEqual(records[0]?.samples, { node: [1, 0], weight: [2, 1] });
  readBack(records);
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
