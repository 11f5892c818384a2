// The kernel's units, from vectors of machines other than this one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKernelUnits } from './kernel-units.ts';

const STAT = 'cpu  1 2 3\nbtime 1700000000\nprocesses 9\n';

test('parseKernelUnits finds each unit wherever its entry is in the vector', () => {
  const entries = [
    [33, 17],
    [6, 65_536],
    [16, 6],
    [17, 250],
    [0, 0],
  ] as const;
  assert.deepEqual(parseKernelUnits(vectorOf(entries), STAT), {
    pageBytes: 65_536,
    ticksPerSecond: 250,
    bootMs: 1_700_000_000_000,
  });
});

test('parseKernelUnits returns the units of x86-64 if the vector lacks them or is cut off', () => {
  const expected = { pageBytes: 4096, ticksPerSecond: 100, bootMs: 0 };
  assert.deepEqual(parseKernelUnits(vectorOf([]), 'cpu  1 2 3\n'), expected);
  const cut = vectorOf([[6, 65_536]]).subarray(0, 15);
  assert.deepEqual(parseKernelUnits(cut, ''), expected);
});

function vectorOf(entries: readonly (readonly [key: number, value: number])[]): Buffer {
  return Buffer.from(new BigUint64Array(entries.flat().map(BigInt)).buffer);
}
