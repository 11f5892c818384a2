import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { divideParts } from './divide-parts.ts';

test('the pieces of all parts, one after another, are the contents', () => {
  const sizes = fc.array(fc.nat({ max: 12 }), { maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 15 }), (all, partBytes) => {
      const { bytes, piecesOf } = divideParts(all, partBytes);
      assert.equal(
        bytes,
        all.reduce((sum, size) => sum + size, 0),
      );
      const expected = all.flatMap((size, index) =>
        Array.from({ length: size }, (_, at) => `${index}:${at}`),
      );
      const count = Math.ceil(bytes / partBytes);
      for (let part = 0; part < count; part++) {
        const found = piecesOf(part).flatMap(({ index, start, end }) =>
          Array.from({ length: end - start }, (_, at) => `${index}:${start + at}`),
        );
        assert.deepEqual(found, expected.slice(part * partBytes, (part + 1) * partBytes));
      }
      assert.deepEqual(piecesOf(count), []);
    }),
  );
});

test('a file that is larger than a part has a piece in each of its parts', () => {
  const { piecesOf } = divideParts([3, 0, 25, 2], 10);
  assert.deepEqual(
    [0, 1, 2].map((part) => piecesOf(part)),
    [
      [
        { index: 0, start: 0, end: 3 },
        { index: 2, start: 0, end: 7 },
      ],
      [{ index: 2, start: 7, end: 17 }],
      [
        { index: 2, start: 17, end: 25 },
        { index: 3, start: 0, end: 2 },
      ],
    ],
  );
});
