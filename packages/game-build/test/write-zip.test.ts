// ZIPs that are written while their files are read, also those that need Zip64. Other programs read them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type StreamedFile, writeZip, type ZippedData } from '../src/index.ts';
import { directoryHeader, endRecord } from '../src/pack/zip-records.ts';
import { missing, scratchFolder } from './scratch.ts';

const skip = missing('unzip');

async function* chunksOf(...chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

function storedFile(path: string, text: string): ZippedData {
  const bytes = Buffer.byteLength(text);
  const sizes = { bytes, method: 0, dataBytes: bytes, crc32: crc32(text) } as const;
  return { path, ...sizes, data: chunksOf(text) };
}

/** Writes the ZIP to a file and returns its path. */
async function writeTo(
  t: TestContext,
  files: AsyncIterable<StreamedFile | ZippedData>,
): Promise<string> {
  const folder = await scratchFolder();
  t.after(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'x.zip');
  await pipeline(Readable.from(writeZip(files)), createWriteStream(path));
  return path;
}

test('streamed and stored files are read by unzip, with their bytes', { skip }, async (t) => {
  const long = 'compress me '.repeat(100_000);
  const path = await writeTo(
    t,
    (async function* () {
      yield { path: 'a.json', content: chunksOf('{"a":', '1}') };
      yield storedFile('b/ü.txt', 'stored');
      yield { path: 'c.txt', content: chunksOf(long, '', 'end') };
      yield { path: 'empty', content: chunksOf() };
    })(),
  );
  execFileSync('unzip', ['-t', path]);
  const print = (name: string) => execFileSync('unzip', ['-p', path, name], { maxBuffer: 1 << 24 });
  assert.equal(print('a.json').toString(), '{"a":1}');
  assert.equal(print('b/*').toString(), 'stored');
  assert.equal(print('c.txt').toString(), `${long}end`);
  assert.equal(print('empty').toString(), '');
});

test('a ZIP with more than 65,535 files is read by unzip', { skip }, async (t) => {
  const count = 65_540;
  const path = await writeTo(
    t,
    (async function* () {
      for (let at = 0; at < count; at++) yield storedFile(`${at}`, '');
    })(),
  );
  const listed = execFileSync('unzip', ['-l', path], { maxBuffer: 1 << 26 }).toString();
  assert.match(listed, new RegExp(`\\b${count} files\\s*$`));
});

test('an entry after 4 GiB has its offset in a field of Zip64, and so has the directory', () => {
  const sizes = { crc32: 1, compressedBytes: 2, bytes: 2 };
  const entry = { name: Buffer.from('x'), method: 0, streamed: false, ...sizes } as const;
  const offset = 2 ** 32 + 5;
  const far = directoryHeader({ ...entry, offset });
  assert.equal(far.readUInt32LE(42), 0xffff_ffff);
  assert.deepEqual([far.readUInt16LE(30), far.readUInt16LE(47), far.readUInt16LE(49)], [12, 1, 8]);
  assert.equal(far.readBigUInt64LE(51), BigInt(offset));
  assert.equal(directoryHeader({ ...entry, offset: 5 }).length, 47);
  const end = endRecord(3, 100, offset);
  assert.equal(end.length, 56 + 20 + 22);
  assert.deepEqual(
    [end.readBigUInt64LE(32), end.readBigUInt64LE(40), end.readBigUInt64LE(48)],
    [3n, 100n, BigInt(offset)],
  );
  assert.equal(end.readBigUInt64LE(64), BigInt(offset + 100));
  assert.equal(end.readUInt32LE(76 + 16), 0xffff_ffff);
  assert.equal(endRecord(65_534, 100, 5).length, 22);
  assert.equal(endRecord(65_535, 100, 5).length, 98);
});

test('an error of a file ends the ZIP with this error, and closes the files', async () => {
  let closed = 0;
  async function* files(): AsyncGenerator<StreamedFile> {
    try {
      yield {
        path: 'broken',
        content: (async function* () {
          yield Buffer.from('begin');
          throw new Error('it is gone');
        })(),
      };
    } finally {
      closed++;
    }
  }
  await assert.rejects(Array.fromAsync(writeZip(files())), /it is gone/);
  assert.equal(closed, 1);
});
