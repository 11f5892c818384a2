// Packing has the limits of a ZIP without Zip64, also if a server allows more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Refusal } from '../findings.ts';
import { BUILD_LIMITS, type BuildLimits } from '../limits.ts';
import { judgeFiles } from './judge-files.ts';
import { ZipProgress } from './pack-folder.ts';
import type { FoundFile } from './walk-folder.ts';

const TIB = 2 ** 40;
const WIDE: BuildLimits = {
  ...BUILD_LIMITS,
  zip_bytes: TIB,
  expanded_bytes: TIB,
  file_bytes: TIB,
  files: 1_000_000,
};
const STAMP = { dev: 0n, ino: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n };

function fileOf(path: string, bytes: number): FoundFile {
  return { path, source: path, bytes, stamp: STAMP };
}

function reported(findings: readonly Refusal[]): string[] {
  return findings.map(({ code, message }) => `${code}: ${message}`);
}

test('a build has at most 65,534 files, or the server’s limit if it is lower', () => {
  const files = Array.from({ length: 65_535 }, (_, i) => fileOf(`${i}.txt`, 0));
  assert.deepEqual(judgeFiles(files.slice(1), WIDE), []);
  assert.deepEqual(reported(judgeFiles(files, WIDE)), [
    'zip_too_many_entries: The build has 65535 files; 65534 are allowed.',
  ]);
  const few = { ...WIDE, files: 2 };
  assert.deepEqual(judgeFiles(files.slice(0, 2), few), []);
  assert.deepEqual(reported(judgeFiles(files.slice(0, 3), few)), [
    'zip_too_many_entries: The build has 3 files; 2 are allowed.',
  ]);
});

test('a file of a build has less than 4 GiB, also if it compresses well', () => {
  assert.deepEqual(judgeFiles([fileOf('a.bin', 2 ** 32 - 2)], WIDE), []);
  const [found, ...others] = judgeFiles([fileOf('a.bin', 2 ** 32 - 1)], WIDE);
  assert.deepEqual([found?.code, found?.entry, others], ['zip_file_too_large', 'a.bin', []]);
});

test('a ZIP has less than 4 GiB', () => {
  const plan = { folder: '/', limits: WIDE, root: '', files: [], total_bytes: 0, ignored: [] };
  const zip = new ZipProgress(plan, {});
  // Only its length is read.
  const part = { length: 2 ** 32 - 2 } as Buffer;
  assert.equal(zip.count(part), part);
  assert.throws(() => zip.count(Buffer.alloc(1)), {
    name: 'BuildError',
    message: /The ZIP exceeds 4294967294 bytes/,
  });
});
