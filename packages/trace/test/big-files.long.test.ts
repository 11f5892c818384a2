// Files of a gigabyte, generated while they are read. Memory must depend on the distinct items, not on the bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FOLDED_HEADER,
  FoldedConverter,
  formatHeader,
  formatRecord,
  TraceInfoReader,
} from '../src/index.ts';

const GIB = 2 ** 30;
const CHUNK = 2 ** 20;
/** The memory that reading may add: tables of distinct items, and chunks that are not yet collected. */
const FLAT_BYTES = 256 * 2 ** 20;

/** Repeats `block` up to `total` bytes, in chunks that do not end at line ends. */
function* repeated(block: Uint8Array, total: number): Generator<Uint8Array> {
  for (let at = 0; at < total; at += CHUNK) {
    const chunk = new Uint8Array(Math.min(CHUNK, total - at));
    for (let i = 0; i < chunk.length; ) {
      const from = (at + i) % block.length;
      const part = block.subarray(from, from + chunk.length - i);
      chunk.set(part, i);
      i += part.length;
    }
    yield chunk;
  }
}

/** The peak memory while reading `chunks`, minus the memory at the start. */
function readFlat(reader: { push(chunk: Uint8Array): void }, chunks: Iterable<Uint8Array>): number {
  const before = process.memoryUsage().rss;
  let most = 0;
  let count = 0;
  for (const chunk of chunks) {
    reader.push(chunk);
    if (count++ % 32 === 0) most = Math.max(most, process.memoryUsage().rss - before);
  }
  return most;
}

function foldedBlock(): Uint8Array {
  const lines = Array.from({ length: 20_000 }, (_, i) => {
    const depth = 3 + (i % 30);
    const frames = Array.from(
      { length: depth },
      (_, d) => `module${d % 7}::function_${(i * 31 + d) % 997}`,
    );
    return `main;${frames.join(';')} ${1 + (i % 9)}\n`;
  });
  return new TextEncoder().encode(lines.join(''));
}

test('TraceInfoReader sums 1 GiB of folded stacks exactly in constant memory', () => {
  const block = foldedBlock();
  const rounds = Math.ceil(GIB / block.length);
  const reader = new TraceInfoReader();
  const used = readFlat(reader, repeated(block, rounds * block.length));
  const info = reader.finish();
  assert.equal(info.samples, rounds * 20_000);
  const perRound = Array.from({ length: 20_000 }, (_, i) => 1 + (i % 9)).reduce((a, b) => a + b);
  assert.equal(info.weight_total, String(perRound * rounds));
  assert.ok(used < FLAT_BYTES, `used ${Math.round(used / 2 ** 20)} MiB`);
  console.log(`1 GiB folded: used ${Math.round(used / 2 ** 20)} MiB, ${info.stacks} stacks`);
});

test('TraceInfoReader reads 1 GiB of .vpt in constant memory', () => {
  const frames = formatRecord({
    type: 'frames',
    t: 1,
    duration_ms: Array.from({ length: 60 }, (_, i) => 16 + i / 64),
  });
  const process_ = formatRecord({
    type: 'process',
    t: 1,
    cpu_percent: 99.5,
    rss_bytes: 123_456_789,
  });
  const block = new TextEncoder().encode((frames + process_).repeat(1000));
  const rounds = Math.ceil(GIB / block.length);
  const reader = new TraceInfoReader();
  reader.push(new TextEncoder().encode(formatHeader(FOLDED_HEADER)));
  const used = readFlat(reader, repeated(block, rounds * block.length));
  assert.equal(reader.finish().records, rounds * 2000);
  assert.ok(used < FLAT_BYTES, `used ${Math.round(used / 2 ** 20)} MiB`);
  console.log(`1 GiB .vpt: used ${Math.round(used / 2 ** 20)} MiB`);
});

test('TraceInfoReader stops counting at 10 million distinct stacks, in bounded memory', () => {
  const reader = new TraceInfoReader('folded');
  const before = process.memoryUsage().rss;
  let line = 0;
  for (let chunk = 0; chunk < 640; chunk++) {
    const lines = Array.from({ length: 16_384 }, () => `game;level;f${line++} 1\n`);
    reader.push(new TextEncoder().encode(lines.join('')));
  }
  const used = process.memoryUsage().rss - before;
  const info = reader.finish();
  assert.equal(info.stacks, '>10000000');
  assert.equal(info.frames, '>10000000');
  assert.equal(info.weight_total, String(line));
  assert.ok(used < 2 ** 30, `used ${Math.round(used / 2 ** 20)} MiB`);
});

test('FoldedConverter converts a quarter GiB to .vpt in constant memory', () => {
  const block = foldedBlock();
  let written = 0;
  const converter = new FoldedConverter((text) => {
    written += text.length;
  });
  const rounds = Math.ceil(GIB / 4 / block.length);
  const used = readFlat(converter, repeated(block, rounds * block.length));
  assert.equal(converter.finish().samples, rounds * 20_000);
  assert.ok(written > 0);
  assert.ok(used < FLAT_BYTES, `used ${Math.round(used / 2 ** 20)} MiB`);
});
