import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comparePaths } from './compare-paths.ts';

test('comparePaths orders paths by their UTF-8 bytes', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '/', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '😁', '𐀀'),
    maxLength: 6,
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(comparePaths(a, b)), expected, JSON.stringify([a, b]));
    }),
    { numRuns: 2000 },
  );
});
