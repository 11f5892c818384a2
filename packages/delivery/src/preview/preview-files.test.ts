// The files of a preview: which have compressed forms, and what happens if the storage fails.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import zlib from 'node:zlib';
import { packToFile } from '@svc/game-build';
import { readChunks } from '../http/read-chunks.ts';
import { type PreviewFiles, unpackFiles } from './preview-files.ts';
import { createSpool, type Spool } from './spool.ts';

async function unpack(
  t: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  change: (spool: Spool) => Spool = (spool) => spool,
): Promise<PreviewFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-delivery-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const build = join(folder, 'build');
  mkdirSync(build);
  const all = { 'index.html': 'x', ...files };
  for (const [name, content] of Object.entries(all)) writeFileSync(join(build, name), content);
  const zip = join(folder, 'build.zip');
  await packToFile(build, zip);
  const spool = await createSpool();
  t.after(() => spool[Symbol.asyncDispose]());
  return await unpackFiles(zip, change(spool), { limits: {}, profiling: false });
}

async function bytesOf({ source }: PreviewFiles, key: string): Promise<Buffer> {
  const file = await source.open(key);
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(file, 0, file.bytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A valid start of a module, so that the file has a type that is compressed. */
const MODULE = Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]);
const LONG = Buffer.from(`// ${'a line of text\n'.repeat(200_000)}`);

test('a file has the compressed forms that save a tenth, with the same content', async (t) => {
  const noise = Buffer.concat([MODULE, randomBytes(700_000)]);
  const files = await unpack(t, { 'long.js': LONG, 'noise.wasm': noise, 'short.js': 'let a;' });
  const long = await files.find('long.js');
  assert.ok(long?.gzip && long.br && long.gzip.bytes < LONG.length / 10);
  assert.deepEqual(zlib.gunzipSync(await bytesOf(files, long.gzip.key)), LONG);
  assert.deepEqual(zlib.brotliDecompressSync(await bytesOf(files, long.br.key)), LONG);
  assert.deepEqual(await bytesOf(files, long.identity.key), LONG);
  for (const [path, content] of Object.entries({ 'noise.wasm': noise, 'short.js': 'let a;' })) {
    const forms = await files.find(path);
    assert.deepEqual([forms?.gzip, forms?.br], [null, null], path);
    assert.deepEqual(await bytesOf(files, forms?.identity.key ?? ''), Buffer.from(content));
  }
  assert.equal(await files.find('gone.js'), null);
  await assert.rejects(files.source.open('gone'), /Cannot find the content/);
});

test('a file is unpacked and compressed although each read returns only a part', async (t) => {
  const files = await unpack(t, { 'long.js': LONG }, (spool) => ({
    ...spool,
    open: (extent) => {
      const file = spool.open(extent);
      return { ...file, read: (buffer, position) => file.read(buffer.subarray(0, 999), position) };
    },
  }));
  const forms = await files.find('long.js');
  assert.deepEqual(zlib.gunzipSync(await bytesOf(files, forms?.gzip?.key ?? '')), LONG);
});

test('if a file cannot be read or its form cannot be written, a later request tries again', async (t) => {
  let fault: 'read' | 'write' | null = null;
  const failing = (spool: Spool): Spool => ({
    ...spool,
    async write(chunk, position) {
      if (fault === 'write') throw new Error('the disk is full');
      await spool.write(chunk, position);
    },
    open(extent) {
      const file = spool.open(extent);
      return {
        ...file,
        async read(buffer, position) {
          if (fault === 'read' && position > 0) throw new Error('the disk is broken');
          return file.read(buffer, position);
        },
      };
    },
  });
  const files = await unpack(t, { 'long.js': LONG }, failing);
  fault = 'read';
  await assert.rejects(files.find('long.js'), /the disk is broken/);
  fault = 'write';
  await assert.rejects(files.find('long.js'), /the disk is full/);
  fault = null;
  assert.notEqual((await files.find('long.js'))?.br, null);
});
