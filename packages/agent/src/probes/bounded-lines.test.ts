import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BoundedLines, LINE_CHARACTERS } from './bounded-lines.ts';

function linesOf(chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = [];
  const bounded = new BoundedLines((line) => lines.push(line));
  for (const chunk of chunks) bounded.push(Buffer.from(chunk));
  bounded.finish();
  return lines;
}

test('BoundedLines: the lines are the same, however the bytes are split', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(fc.array(text), fc.array(fc.nat({ max: 40 })), (texts, cuts) => {
      const bytes = Buffer.from(texts.join('\n'));
      const whole = linesOf([bytes]);
      const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
      const chunks = [...places, bytes.length].map((to, i) =>
        bytes.subarray(i === 0 ? 0 : places[i - 1], to),
      );
      assert.deepEqual(linesOf(chunks), whole);
    }),
  );
});

test('BoundedLines: a line that is too long is cut, and the next one is complete', () => {
  const flood = Array.from({ length: 50 }, () => Buffer.alloc(10_000, 'x'));
  const [long, next] = linesOf([...flood, Buffer.from('\nnext')]);
  assert.equal(long?.length, LINE_CHARACTERS);
  assert.equal(next, 'next');
});
