// Node's own program without symbols.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripElf } from './strip-elf.ts';

const skip = process.platform === 'linux' ? false : 'Node’s program is no ELF file here';
const SYMBOLS = 2;
const STRINGS = 3;
const ALLOCATED = 2n;

const node = skip === false ? readFileSync(process.execPath) : Buffer.alloc(0);
const stripped = skip === false ? stripElf(node) : node;

function programHeaders(program: Buffer) {
  const table = Number(program.readBigUInt64LE(32));
  return Array.from({ length: program.readUInt16LE(56) }, (_, index) => {
    const at = table + 56 * index;
    const long = (field: number): number => Number(program.readBigUInt64LE(at + field));
    const writable = (program.readUInt32LE(at + 4) & 2) !== 0;
    const type = program.readUInt32LE(at);
    return { type, writable, offset: long(8), address: long(16), bytes: long(32) };
  });
}

function sections(program: Buffer) {
  const table = Number(program.readBigUInt64LE(40));
  return Array.from({ length: program.readUInt16LE(60) }, (_, index) => {
    const at = table + 64 * index;
    const long = (field: number): number => Number(program.readBigUInt64LE(at + field));
    const isLoaded = (program.readBigUInt64LE(at + 8) & ALLOCATED) !== 0n;
    return { type: program.readUInt32LE(at + 4), isLoaded, offset: long(24), bytes: long(32) };
  });
}

test('the stripped program is smaller and runs', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-strip-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'node');
  writeFileSync(file, stripped, { mode: 0o755 });
  const script =
    'console.log(process.version, [1, 2].map(String).length, new Intl.NumberFormat().format(1))';
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  assert.ok(stripped.length < node.length);
  assert.deepEqual(run(file, '--version'), {
    status: 0,
    stdout: `${process.version}\n`,
    stderr: '',
  });
  assert.deepEqual(run(file, '-e', script), run(process.execPath, '-e', script));
});

test('everything that the program headers name stays where it is', { skip }, () => {
  const headers = programHeaders(node);
  assert.ok(headers.length > 5);
  const changed = programHeaders(stripped);
  assert.deepEqual(
    changed.map(({ bytes, ...rest }) => rest),
    headers.map(({ bytes, ...rest }) => rest),
  );
  for (const [index, { bytes }] of changed.entries()) {
    const before = headers[index]?.bytes ?? 0;
    assert.ok(bytes === before || bytes === Math.ceil(before / 8) * 8, `header ${index}`);
  }
  for (const { type, offset, bytes } of headers) {
    // The header of the file is loaded, too, and states the sections. The program headers follow it.
    const from = Math.max(offset, 64 + 56 * headers.length);
    const end = Math.max(from, offset + bytes);
    const same = stripped.subarray(from, end).equals(node.subarray(from, end));
    assert.ok(same && (bytes === 0 || end <= stripped.length), `header of type ${type}`);
  }
  assert.deepEqual(stripped.subarray(0, 40), node.subarray(0, 40));
  assert.deepEqual(stripped.subarray(48, 60), node.subarray(48, 60));
});

test('read-only segments end at a multiple of 8 bytes', { skip }, () => {
  const loaded = programHeaders(stripped).filter(({ type, writable }) => type === 1 && !writable);
  assert.ok(loaded.length > 0);
  for (const { offset, bytes } of loaded) assert.equal((offset + bytes) % 8, 0);
});

test('segments do not grow into the next one, nor where memory has more than the file', () => {
  const program = Buffer.alloc(64 + 3 * 56 + 40);
  program.write('\x7fELF', 0, 'latin1');
  program.set([2, 1], 4);
  program.writeBigUInt64LE(64n, 32);
  program.writeUInt16LE(3, 56);
  const segments = [
    [232, 5, 5],
    [237, 11, 11],
    [250, 3, 9],
  ] as const;
  segments.forEach(([offset, fileSize, memorySize], index) => {
    const at = 64 + 56 * index;
    program.writeUInt32LE(1, at);
    program.writeBigUInt64LE(BigInt(offset), at + 8);
    program.writeBigUInt64LE(BigInt(fileSize), at + 32);
    program.writeBigUInt64LE(BigInt(memorySize), at + 40);
  });
  const sizes = programHeaders(stripElf(program)).map(({ bytes }) => bytes);
  // The first would end at 240, inside the second. The second ends at 248.
  assert.deepEqual(sizes, [5, 11, 3]);
  program.writeBigUInt64LE(10n, 64 + 56 + 32);
  program.writeBigUInt64LE(10n, 64 + 56 + 40);
  assert.deepEqual(programHeaders(stripElf(program))[1]?.bytes, 11);
});

test('no sections, symbols or names of symbols stay, except those that are loaded', {
  skip,
}, () => {
  assert.deepEqual([stripped.readBigUInt64LE(40), ...stripped.subarray(60, 64)], [0n, 0, 0, 0, 0]);
  const removed = sections(node).filter(({ isLoaded, type }) => !isLoaded && type !== 0);
  assert.ok([SYMBOLS, STRINGS].every((type) => removed.some((one) => one.type === type)));
  for (const { offset } of removed) assert.ok(offset >= stripped.length);
});

test('the program is only read', { skip }, () => {
  assert.ok(node.equals(readFileSync(process.execPath)));
});

test('other files are rejected: for Windows, for macOS, of 32 bits, of the other byte order, texts, empty ones', () => {
  const elf = (bits: number, order: number): Buffer =>
    Buffer.concat([Buffer.from('\x7fELF'), Buffer.of(bits, order), Buffer.alloc(100)]);
  const others = [
    ...[elf(1, 1), elf(2, 2), elf(2, 1).subarray(0, 63), Buffer.alloc(0), Buffer.alloc(100)],
    ...[Buffer.from('MZ'.padEnd(100)), Buffer.from('cffaedfe'.padEnd(200, '0'), 'hex')],
    Buffer.concat([Buffer.from('\x7fELG'), Buffer.of(2, 1), Buffer.alloc(100)]),
    readFileSync(import.meta.filename),
  ];
  for (const [index, other] of others.entries()) {
    assert.throws(() => stripElf(other), { message: 'Not a 64-bit ELF program' }, `file ${index}`);
  }
});
