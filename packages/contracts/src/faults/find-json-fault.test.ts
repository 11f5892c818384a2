import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault } from './find-json-fault.ts';

test('findJsonFault returns the line, and the column in bytes, of the first character that does not fit', () => {
  const rows: [text: string, line: number, column: number][] = [
    ['{"a":}', 1, 6],
    ['{"a":1,}', 1, 8],
    ['{\n  "é": tru }', 2, 9],
    ['[1 2]', 1, 4],
    ['{"a" 1}', 1, 6],
    ['{"a":1', 1, 7],
    ['"a\nb"', 1, 3],
    ['01', 1, 1],
    ['{}x', 1, 3],
    ["{'a':1}", 1, 2],
    ['\ufeff{}', 1, 1],
  ];
  for (const [text, line, column] of rows) {
    const fault = findJsonFault(text, 'The body');
    assert.deepEqual([fault?.line, fault?.column], [line, column], text);
    assert.ok(fault?.message.includes(`line ${line}, column ${column}`), text);
  }
  assert.equal(findJsonFault(' \n', 'The body')?.message, 'The body is empty. Allowed: JSON');
});

test('findJsonFault finds a fault exactly where JSON.parse refuses', () => {
  const bits = ['{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '\\n', '1', '-', '0', '.5', 'e3'];
  const words = fc.array(fc.constantFrom(...bits, 'true', 'null', ' ', '\n', 'é', '\u0001'));
  const texts = fc.oneof(
    words.map((parts) => parts.join('')),
    fc.json(),
    fc.string(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(findJsonFault(text, 'The body') === null, parses(text), JSON.stringify(text));
    }),
    { numRuns: 3000 },
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
