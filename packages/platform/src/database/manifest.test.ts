import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { decodeManifest, encodeManifest, type ManifestFile } from './manifest.ts';

const PAGE: ManifestFile = {
  ...{ path: 'index.html', hash: 'a'.repeat(64), place: 'first', type: 'text/html' },
  ...{ encoding: null, bytes: 10, inner_bytes: 10, hashed_name: 0 },
  ...{ gzip_bytes: null, br_bytes: null },
};

test('decodeManifest returns the files that were encoded, in their order', async () => {
  const files: ManifestFile[] = [
    PAGE,
    { ...PAGE, path: 'b.js', place: 'second', type: 'text/javascript', gzip_bytes: 7, br_bytes: 6 },
    { ...PAGE, path: 'a.js', type: 'text/javascript', hashed_name: 1, bytes: 2 ** 40 },
    { ...PAGE, path: 'c.wasm.br', place: 'second', encoding: 'br', inner_bytes: 99, gzip_bytes: 0 },
    { ...PAGE, path: 'd.gz', encoding: 'gzip', bytes: 0, br_bytes: 0 },
  ];
  assert.deepEqual(await decodeManifest(await encodeManifest(files)), files);
  assert.deepEqual(await decodeManifest(await encodeManifest([])), []);
});

test('a manifest that is damaged, or of another format, is an error', async () => {
  const content = await encodeManifest([PAGE]);
  await assert.rejects(decodeManifest(content.subarray(0, -1)));
  const stored = JSON.parse(String(zlib.brotliDecompressSync(content)));
  const newer = zlib.brotliCompressSync(JSON.stringify({ ...stored, format: 2 }));
  await assert.rejects(decodeManifest(newer), /of format 2: update this server/);
});
