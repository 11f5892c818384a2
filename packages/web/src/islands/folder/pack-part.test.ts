import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { packPart } from './pack-part.ts';

async function packed(bytes: Uint8Array<ArrayBuffer>) {
  const { body, headers = {} } = await packPart(bytes);
  assert.ok(body instanceof Uint8Array);
  assert.equal(headers['content-type'], 'application/octet-stream');
  assert.equal(headers['content-digest'], `sha-256=:${hash('sha256', body, 'base64')}:`);
  return { body, encoding: headers['content-encoding'] };
}

test('a part is sent compressed only if it becomes smaller', async (t) => {
  const text = new Uint8Array(Buffer.from('the same words '.repeat(50_000)));
  const short = await packed(text);
  assert.equal(short.encoding, 'gzip');
  assert.ok(short.body.length < text.length / 10);
  assert.deepEqual(gunzipSync(short.body), Buffer.from(text));
  const noise = new Uint8Array(randomBytes(100_000));
  assert.deepEqual(await packed(noise), { body: noise, encoding: undefined });
  const before = globalThis.CompressionStream;
  t.after(() => Object.assign(globalThis, { CompressionStream: before }));
  Object.assign(globalThis, { CompressionStream: undefined });
  assert.deepEqual(await packed(text), { body: text, encoding: undefined });
});
