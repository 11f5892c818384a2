// Folded stacks as real tools write them, read by `readFolded`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceError } from '../format/errors.ts';
import { formatDecimal } from '../stacks/exact-column.ts';
import { pathOf } from '../stacks/stack-tree.ts';
import { FoldedTreeReader, readFolded } from './folded-tree.ts';

/** Each node with weight as `frames weight` (with two counts `frames before weight`), in node order. */
function lines(input: string | Uint8Array): string[] {
  const { tree } = readFolded(input);
  return Array.from({ length: tree.length }, (_, node) => {
    const stack = pathOf(tree, node).map((frame) => tree.frames.text(frame));
    const weights = tree.before === null ? [tree.self] : [tree.before, tree.self];
    const text = weights.map((column) => formatDecimal(column.at(node), tree.decimals));
    return [stack.join(';'), ...text].join(' ');
  }).filter((line) => !/( 0)+$/.test(line));
}

test('readFolded adds up repeated stacks', () => {
  assert.deepEqual(lines('a;b 1\na;c 2\na;b 3\nb 4\n'), ['a;b 4', 'a;c 2', 'b 4']);
});

test('readFolded keeps spaces, brackets and blanks at the end of frames', () => {
  const text = 'main loop;operator new [T; 3 9\nfoo ;bar  5\n[unknown];(a, b) 1\n';
  assert.deepEqual(lines(text), [
    'main loop;operator new [T; 3 9',
    'foo ;bar  5',
    '[unknown];(a, b) 1',
  ]);
});

test('readFolded keeps decimals, exponents and huge counts exact', () => {
  const text = 'a 0.1\na 0.2\nb 1e30\nc -1.5\nd 1000000000000000000000000000001\ne 2.50\n';
  assert.deepEqual(lines(text), [
    'a 0.3',
    'b 1000000000000000000000000000000',
    'c -1.5',
    'd 1000000000000000000000000000001',
    'e 2.5',
  ]);
});

test('readFolded reads two counts as before and after', () => {
  assert.deepEqual(lines('a;b 1 2\na;c 0 5\n'), ['a;b 1 2', 'a;c 0 5']);
});

test('readFolded keeps a number as part of the frame if most lines have one count', () => {
  assert.deepEqual(lines('a;worker 3 10\na;b 1\na;c 1\n'), ['a;worker 3 10', 'a;b 1', 'a;c 1']);
});

test('readFolded reads CRLF, marks and UTF-16 the same', () => {
  const plain = 'α;b 1\r\n# c\r\n// d\r\n\r\nb 2';
  const expected = ['α;b 1', 'b 2'];
  const wide = new Uint8Array(2 + plain.length * 2);
  const view = new DataView(wide.buffer);
  for (const little of [true, false]) {
    view.setUint16(0, 0xfeff, little);
    for (let i = 0; i < plain.length; i++) view.setUint16(2 + i * 2, plain.charCodeAt(i), little);
    assert.deepEqual(lines(wide), expected);
  }
  assert.deepEqual(lines(`\ufeff${plain}`), expected);
  assert.deepEqual(lines(plain), expected);
});

test('readFolded reports the numbers of lines that are not stacks', () => {
  const { ending } = readFolded('a 1\nnot a stack\n5\nb;\u0000 2\nc 3\n');
  assert.deepEqual(ending.skipped, [
    { line: 2, reason: 'no count at the end' },
    { line: 3, reason: 'no stack before the count' },
    { line: 4, reason: 'a NUL byte' },
  ]);
  assert.equal(ending.samples, 2);
});

test('readFolded reports the format that the file looks like', () => {
  const cases: [string | Uint8Array, RegExp][] = [
    ['', /an empty file/],
    ['{"$schema":"https://www.speedscope.app/file-format-schema.json"}', /speedscope/],
    ['{\n  "count": 5\n}\n', /JSON/],
    ['<?xml version="1.0"?>\n<svg/>', /SVG/],
    [new Uint8Array([0x1f, 0x8b, 8, 0]), /gzip/],
    [
      'node 25 [001] 12.5: 250000 cpu-clock:u: \n\t    7f12ab34 main+0x12 (/bin/x)\n\n',
      /perf script/,
    ],
    ['a;b\nc;d\n', /without counts/],
  ];
  for (const [input, pattern] of cases) {
    assert.throws(
      () => readFolded(input),
      (error) =>
        error instanceof TraceError && error.code === 'not_folded' && pattern.test(error.message),
    );
  }
});

test('FoldedTreeReader returns the same result wherever chunks are split', () => {
  const text = 'a;b;é 1\na;b;é 2\r\na;b 3\nx;b 4\na 0.5';
  const bytes = new TextEncoder().encode(text);
  const whole = lines(text);
  for (let at = 0; at <= bytes.length; at++) {
    const reader = new FoldedTreeReader();
    reader.push(bytes.subarray(0, at));
    reader.push(bytes.subarray(at));
    const { tree } = reader.finish();
    assert.equal(tree.length, 5, `split at ${at}`);
    assert.equal(tree.samples, whole.length + 1);
  }
});

test('readFolded rejects text in another encoding and explains how to convert it', () => {
  const latin1 = Uint8Array.from('café;b 1\n', (unit) => unit.charCodeAt(0));
  assert.throws(() => readFolded(latin1), /in another encoding: save it as UTF-8/);
});

test('readFolded accepts a stack of 100,000 frames', () => {
  const stack = Array.from({ length: 100_000 }, (_, i) => `f${i % 10}`).join(';');
  const { tree } = readFolded(`${stack} 1000000000000000\n${stack} 1\n`);
  assert.equal(tree.length, 100_000);
  assert.equal(tree.self.at(99_999), 1_000_000_000_000_001);
});

test('readFolded detects two counts even if the first line is longer than the sample it examines', () => {
  const deep = Array.from({ length: 200_000 }, (_, i) => `frame${i % 10}`).join(';');
  const { tree } = readFolded(`${deep} 3 4\na;b 1 2\n`);
  assert.equal(tree.before?.at(199_999), 3);
  assert.equal(tree.self.at(199_999), 4);
});

test('FoldedTreeReader skips a line over the limit without keeping it in memory', () => {
  const reader = new FoldedTreeReader();
  const chunk = new Uint8Array(2 ** 20).fill(97);
  reader.push(new TextEncoder().encode('a;b 1\n'));
  for (let i = 0; i < 80; i++) reader.push(chunk);
  reader.push(new TextEncoder().encode(' 5\nc 2\n'));
  const { tree, ending } = reader.finish();
  assert.equal(tree.length, 3);
  assert.deepEqual(ending.skipped, [{ line: 2, reason: 'a line longer than 67108864 bytes' }]);
});
