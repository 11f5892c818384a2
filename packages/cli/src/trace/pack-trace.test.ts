// A trace is compressed piece by piece, and one beyond a limit is refused.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { packTrace } from './pack-trace.ts';

/** Incompressible, and long enough that the compressor writes before its end. */
const TRACE = randomBytes(300_000);
const NONE = { packed_bytes: Number.POSITIVE_INFINITY, trace_bytes: Number.POSITIVE_INFINITY };

async function pack(limits: Partial<typeof NONE> = {}): Promise<Buffer> {
  const packer = packTrace({ ...NONE, ...limits });
  for (let at = 0; at < TRACE.length; at += 100_000) {
    await packer.push(TRACE.subarray(at, at + 100_000));
  }
  return Buffer.concat(await packer.finish());
}

test('packTrace compresses all chunks in order, with the same bytes each time', async () => {
  const packed = await pack();
  assert.deepEqual(gunzipSync(packed), TRACE);
  assert.deepEqual(await pack(), packed);
  const empty = Buffer.concat(await packTrace().finish());
  assert.equal(gunzipSync(empty).length, 0);
});

test('packTrace accepts a trace of exactly the limits, and refuses one more byte', async () => {
  const { length } = await pack();
  const limits = { packed_bytes: length, trace_bytes: TRACE.length };
  assert.equal((await pack(limits)).length, length);
  await assert.rejects(pack({ packed_bytes: length - 1 }), {
    exitCode: 1,
    code: 'too_large',
    message: /^The trace has more than 293 KiB when compressed, which is more than a browser/,
  });
  await assert.rejects(pack({ trace_bytes: TRACE.length - 1 }), {
    message:
      /^The trace has more than 293 KiB, which is more than a browser can open in one page\.$/,
  });
});

test('packTrace refuses a trace while it is still read', async () => {
  const packer = packTrace({ ...NONE, packed_bytes: 1000 });
  const pushAll = async (): Promise<void> => {
    for (let chunks = 0; chunks < 20; chunks++) await packer.push(TRACE);
  };
  await assert.rejects(pushAll(), { code: 'too_large' });
});
