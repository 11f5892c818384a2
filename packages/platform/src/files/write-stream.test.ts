import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeStream } from './write-stream.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-write-stream-'));
});
after(() => rm(folder, { recursive: true }));

async function* streamOf(...chunks: Buffer[]) {
  yield* chunks;
}

test('writeStream writes chunks of all sizes in order and reports the number of bytes', async () => {
  const sizes = [1, 70_000, 5, 2_000_000, 16_384, 3, 900_000];
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index + 1));
  const expected = Buffer.concat(chunks);
  const path = join(folder, 'sizes');
  const reported: number[] = [];
  await writeStream(streamOf(...chunks), path, (bytes) => reported.push(bytes));
  assert.ok(expected.equals(await readFile(path)));
  assert.equal(reported.at(-1), expected.length);
  assert.deepEqual(
    reported,
    reported.toSorted((a, b) => a - b),
    'bytes so far, not of each piece',
  );
  assert.ok(reported.length > 1);
  assert.equal((await stat(path)).mode & 0o777, 0o600, 'for its owner alone');
});

test('writeStream does not change an existing file', async () => {
  const path = join(folder, 'twice');
  await writeStream(streamOf(Buffer.from('first')), path, () => {});
  const again = writeStream(streamOf(Buffer.from('again')), path, () => {});
  await assert.rejects(again, { code: 'EEXIST' });
  assert.equal(await readFile(path, 'utf8'), 'first');
});

test('writeStream writes the rest after a partial write', async (t) => {
  const path = join(folder, 'partly');
  const probe = await open(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe);
  const { writev } = prototype;
  await probe.close();
  t.mock.method(prototype, 'writev', function (this: unknown, chunks: readonly Buffer[]) {
    return writev.call(this, [Buffer.concat(chunks).subarray(0, 7)]);
  });
  await writeStream(streamOf(Buffer.from('01234'), Buffer.from('56789')), path, () => {});
  assert.equal(await readFile(path, 'utf8'), '0123456789');
});

test('writeStream frees only memory that belongs to one chunk', async () => {
  const own = Buffer.alloc(100_000, 1);
  const shared = Buffer.alloc(100_000, 2);
  const small = Buffer.alloc(1000, 3);
  await writeStream(streamOf(own, shared.subarray(1), small), join(folder, 'own'), () => {});
  assert.deepEqual([own.length, shared.length, small.length], [0, 100_000, 1000]);
  assert.ok((await readFile(join(folder, 'own'))).subarray(0, 100_000).every((byte) => byte === 1));
});

test('writeStream does not write bytes that its listener rejects', async () => {
  const path = join(folder, 'refused');
  const refuse = (): void => {
    throw new Error('too large');
  };
  await assert.rejects(writeStream(streamOf(Buffer.alloc(10)), path, refuse), /too large/);
  assert.equal((await readFile(path)).length, 0);
});
