// Compressed files, expanded with the decompressor of Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGunzip, gzipSync } from 'node:zlib';
import { DamagedGzip, expandGzip, type Gunzip, PartedGzip } from './expand-gzip.ts';

const gunzip: Gunzip = async function* (input) {
  const stream = createGunzip();
  for await (const chunk of input) stream.write(chunk);
  stream.end();
  yield* stream;
};

async function* chunks(
  bytes: Uint8Array,
  size: number,
  ended: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  } finally {
    ended();
  }
}

async function expand(bytes: Uint8Array, { size = 3, limit = 1e6, by = gunzip } = {}) {
  let ended = false;
  const parts: Uint8Array[] = [];
  const source = chunks(bytes, size, () => {
    ended = true;
  });
  try {
    for await (const part of expandGzip(source, by, limit)) parts.push(part);
  } finally {
    assert.equal(ended, true, 'the input is closed');
  }
  return Buffer.concat(parts);
}

test('a gzip file is expanded, and any other file passes unchanged, in chunks of any size', async () => {
  const text = Buffer.from('[{"ph":"X"}]'.repeat(50));
  for (const size of [1, 2, 100]) {
    assert.deepEqual(await expand(gzipSync(text), { size }), text);
    const parts = Buffer.concat([gzipSync(text.subarray(0, 100)), gzipSync(text.subarray(100))]);
    assert.deepEqual(await expand(parts, { size }), text);
    assert.deepEqual(await expand(text, { size }), text);
    assert.deepEqual(await expand(Buffer.from([0x1f]), { size }), Buffer.from([0x1f]));
    assert.deepEqual(await expand(Buffer.from([]), { size }), Buffer.from([]));
  }
});

test('a file that expands to more than the limit is rejected', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  assert.ok(bomb.length < 20_000);
  await assert.rejects(expand(bomb, { size: 1000 }), {
    name: 'TraceError',
    code: 'too_large',
    message: /expands to more than 1000000 bytes/,
  });
  const exact = gzipSync(Buffer.alloc(1000));
  assert.equal((await expand(exact, { limit: 1000 })).length, 1000);
  await assert.rejects(expand(exact, { limit: 999 }), { code: 'too_large' });
});

test('damaged data is rejected with the next step, and other errors are passed on', async () => {
  const failing = (error: Error): Gunzip =>
    async function* (input) {
      for await (const _ of input);
      yield new Uint8Array(1);
      throw error;
    };
  const bytes = gzipSync('x');
  await assert.rejects(expand(bytes, { by: failing(new DamagedGzip('incorrect header')) }), {
    code: 'not_a_profile',
    message: /damaged \(incorrect header\)\. Save or copy/,
  });
  await assert.rejects(expand(bytes, { by: failing(new PartedGzip('junk')) }), {
    code: 'not_a_profile',
    message: /has several parts.* Expand it with gunzip, or open it with svc dashboard FILE$/,
  });
  const other = new Error('disk');
  await assert.rejects(expand(bytes, { by: failing(other) }), other);
});
