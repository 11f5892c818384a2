// `info` on both formats, and the conversion between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FoldedConverter } from '../../folded/convert-folded.ts';
import { readVpt } from '../../vpt/read-vpt.ts';
import { type TraceInfo, TraceInfoReader } from './trace-info.ts';

function infoOf(text: string): TraceInfo {
  const reader = new TraceInfoReader();
  reader.push(new TextEncoder().encode(text));
  return reader.finish();
}

function converted(text: string): string {
  const lines: string[] = [];
  const converter = new FoldedConverter((line) => lines.push(line));
  converter.push(new TextEncoder().encode(text));
  converter.finish();
  return lines.join('');
}

const FOLDED = 'main;a;b_[k] 3\nmain;a;b 0.25\nmain;a -1\nnonsense\nmain;a;b 1e25\n';

test('TraceInfoReader counts stacks, frames and exact weights of folded stacks', () => {
  const info = infoOf(FOLDED);
  assert.equal(info.format, 'folded');
  assert.equal(info.samples, 4);
  assert.equal(info.weight_total, '10000000000000000000000002.25');
  assert.equal(info.stacks, 3);
  assert.equal(info.frames, 4);
  assert.deepEqual(info.skipped, [{ line: 4, reason: 'no count at the end' }]);
});

test('FoldedConverter writes a trace with the same stacks', () => {
  const text = converted(FOLDED);
  readVpt(text);
  const [folded, vpt] = [infoOf(FOLDED), infoOf(text)];
  for (const key of ['samples', 'weight_total', 'stacks', 'frames', 'unit'] as const) {
    assert.equal(vpt[key], folded[key], key);
  }
  assert.equal(vpt.partial, false);
  assert.equal(converted(FOLDED), text);
});

test('FoldedConverter keeps two counts', () => {
  const info = infoOf(converted('a;b 1 2\na;c 0.5 7\n'));
  assert.equal(info.weight_total, '9');
  assert.equal(info.weight_total_before, '1.5');
});

test('FoldedConverter divides a deep stack into lines that the reader accepts', () => {
  const deep = Array.from({ length: 100_000 }, (_, i) => `frame number ${i}`).join(';');
  const info = infoOf(converted(`${deep} 1\n${deep};x 1000000000000000\n`));
  assert.equal(info.weight_total, '1000000000000001');
  assert.equal(info.stacks, 2);
  assert.equal(info.frames, 100_001);
});

test('FoldedConverter writes short lines if a count with decimals follows many integers', () => {
  const plain = Array.from({ length: 40_000 }, (_, i) => `f${i % 10} ${i}\n`).join('');
  const text = converted(`${plain}f0 1e-90\nf1 2 \nf2 0.5\n`);
  const longest = Math.max(...text.split('\n').map((line) => line.length));
  assert.ok(longest <= 524_288 + 200, `${longest}`);
  assert.equal(infoOf(text).weight_total, infoOf(`${plain}f0 1e-90\nf1 2\nf2 0.5\n`).weight_total);
});
