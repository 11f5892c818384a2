import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault } from './find-json-fault.ts';

test('findJsonFault returns the line, and the column in bytes, of the first invalid character', () => {
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

test('findJsonFault finds a fault exactly if JSON.parse throws', () => {
  const bits = ['{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '\\n', '1', '-', '0', '.5', 'e3'];
  const words = fc.array(fc.constantFrom(...bits, 'true', 'null', ' ', '\n', 'é', '\u0001'));
  // JSON with one character too few, too many or replaced: faults deep inside.
  const near = fc
    .tuple(fc.json(), fc.nat(), fc.nat(1), fc.constantFrom('', ...bits, '\n'))
    .map(([text, place, less, more]) => {
      const at = place % text.length;
      return text.slice(0, at) + more + text.slice(at + less);
    });
  const texts = fc.oneof(
    words.map((parts) => parts.join('')),
    fc.json(),
    near,
    fc.string(),
  );
  const made = { parsed: 0, nested: 0, unexpected: 0, cutOff: 0, laterLine: 0, control: 0 };
  fc.assert(
    fc.property(texts, (text) => {
      const fault = findJsonFault(text, 'The body');
      assert.equal(fault === null, parses(text), JSON.stringify(text));
      if (fault === null) made.parsed++;
      if (fault === null && /[[{].*[[{]/s.test(text)) made.nested++;
      if (fault?.message.includes('unexpected character')) made.unexpected++;
      if (fault?.message.includes('ends too early')) made.cutOff++;
      if (fault !== null && fault.line > 1) made.laterLine++;
      if (fault !== null && text.includes('\u0001')) made.control++;
    }),
    { numRuns: 3000 },
  );
  // Far below the usual number, so that the test never fails by chance.
  const least = {
    parsed: 300,
    nested: 60,
    unexpected: 300,
    cutOff: 30,
    laterLine: 20,
    control: 60,
  };
  for (const [what, count] of Object.entries(least)) {
    assert.ok(made[what as keyof typeof made] >= count, `${what}: ${JSON.stringify(made)}`);
  }
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
