// Full sizes: gigabytes of zeros in a few megabytes, and the largest folder that can be packed, in little memory.
import assert from 'node:assert/strict';
import { mkdir, open, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDeflateRaw } from 'node:zlib';
import { bufferSource, checkBuild, extractEntries, packToFile, readArchive } from '../src/index.ts';
import { scratchFolder } from './scratch.ts';
import { buildZip } from './zip-builder.ts';

const MIB = 1024 * 1024;
const INDEX = { name: 'index.html', data: '<title>x</title>' };

/** Zeros compressed with Deflate, to about a thousandth. */
async function deflatedZeros(bytes: number): Promise<Buffer> {
  const deflate = createDeflateRaw({ level: 9 });
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  const zeros = Buffer.alloc(MIB);
  for (let left = bytes; left > 0; left -= MIB) {
    await new Promise((resolve) => deflate.write(zeros.subarray(0, Math.min(left, MIB)), resolve));
  }
  await new Promise((resolve) => deflate.end(resolve));
  return Buffer.concat(parts);
}

/** The peak of memory during the action above the memory before it, in MiB. */
async function memoryOf(action: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  try {
    await action();
  } finally {
    clearInterval(timer);
  }
  return (most - before) / MIB;
}

test('4 GiB of zeros in 4 MB are rejected, with honest and with wrong sizes in the headers', async () => {
  const raw = await deflatedZeros(4096 * MIB);
  assert.ok(raw.length < 5_000_000);
  const honest = buildZip([
    INDEX,
    { name: 'zeros', raw, method: 8, zip64: true, bytes: 4096 * MIB },
  ]);
  await assert.rejects(readArchive(bufferSource(honest)), { code: 'zip_file_too_large' });
  const lying = buildZip([INDEX, { name: 'zeros', raw, method: 8, bytes: 100 * MIB }]);
  let written = 0;
  const grown = await memoryOf(async () => {
    await using archive = await readArchive(bufferSource(lying));
    const extraction = extractEntries(archive, () => ({
      write: (chunk) => {
        written += chunk.length;
      },
      finish: () => {},
      abort: () => {},
    }));
    await assert.rejects(extraction, { code: 'zip_size_mismatch' });
  });
  assert.ok(written <= 100 * MIB + 16, `${written} bytes handed on`);
  console.log(`inflating what lies: ${grown.toFixed(0)} MiB more`);
  assert.ok(grown < 150, `${grown} MiB`);
});

test('a folder of 2 GiB is packed and checked in little memory, and one byte more is rejected', async () => {
  await using folder = await scratchFolder();
  const source = join(folder.path, 'in');
  await mkdir(source);
  await writeFile(join(source, 'index.html'), INDEX.data);
  for (const name of ['a.bin', 'b.bin', 'c.bin']) await sparseFile(join(source, name), 512 * MIB);
  await sparseFile(join(source, 'd.bin'), 512 * MIB - INDEX.data.length);
  const zip = join(folder.path, 'out.zip');
  const packing = await memoryOf(() => packToFile(source, zip));
  const judging = await memoryOf(async () => {
    const verdict = await checkBuild(zip);
    assert.ok(verdict.accepted);
    assert.equal(verdict.build.expanded_bytes, 2048 * MIB);
  });
  console.log(`2 GiB: ${packing.toFixed(0)} MiB more to pack, ${judging.toFixed(0)} to judge`);
  assert.ok(packing < 200, `${packing} MiB to pack`);
  assert.ok(judging < 200, `${judging} MiB to judge`);
  await truncate(join(source, 'd.bin'), 512 * MIB - INDEX.data.length + 1);
  const more = await checkBuild(source);
  assert.ok(!more.accepted);
  assert.equal(more.code, 'zip_expansion_limit');
  assert.ok((await stat(zip)).size < 4 * MIB);
});

async function sparseFile(path: string, bytes: number): Promise<void> {
  await using handle = await open(path, 'w');
  await handle.truncate(bytes);
}
