import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBytes } from './count-bytes.ts';

const MIB = 1024 * 1024;

/** A count of an upload, with `most` bytes left. */
function counted(declared: number, most = Number.POSITIVE_INFINITY) {
  const changes: number[] = [];
  const errors: unknown[] = [];
  const take = async (bytes: number): Promise<void> => {
    if (bytes > most) throw new Error('too many');
    changes.push(bytes);
  };
  const count = countBytes(declared, take, async (bytes) => void changes.push(-bytes));
  return {
    changes,
    errors,
    count,
    add: (bytes: number) => count.add(bytes, (error) => errors.push(error)),
  };
}

test('declared bytes are not counted again, and those that do not arrive are given back', async () => {
  const { changes, count, add } = counted(5 * MIB);
  for (let times = 0; times < 3; times++) add(MIB);
  await count.end();
  assert.deepEqual(changes, []);
  await count[Symbol.asyncDispose]();
  assert.deepEqual(changes, [-2 * MIB]);
});

test('other bytes are counted each mebibyte and at the end, exactly once', async () => {
  const { changes, count, add } = counted(1000);
  add(1000 + MIB - 1);
  assert.deepEqual(changes, []);
  add(1);
  add(3);
  await count.end();
  await count.end();
  await count[Symbol.asyncDispose]();
  assert.deepEqual(changes, [MIB, 3]);
});

test('bytes that are not left are reported once they arrive, and at the end', async () => {
  const { changes, errors, count, add } = counted(0, MIB);
  add(MIB);
  add(2 * MIB);
  await assert.rejects(count.end(), /too many/);
  await count[Symbol.asyncDispose]();
  assert.deepEqual([changes, errors.length], [[MIB], 1]);
});
