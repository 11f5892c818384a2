import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvSplitter, ROW_LENGTH } from './split-csv.ts';

function split(input: string | Uint8Array, chunkBytes: number) {
  const rows: string[][] = [];
  const splitter = new CsvSplitter((cells) => rows.push([...cells]));
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    splitter.push(bytes.subarray(from, from + chunkBytes));
  }
  return { isComplete: splitter.finish(), rows, skipped: splitter.skipped };
}

for (const [text, rows] of [
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a , b\r\n\r\n 1,\r\n',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  ['"a,b","c""d" ,"e\n', [['a,b', 'c"d', '"e']]],
  ['é,"ü"\n', [['é', 'ü']]],
  ['\uFEFFa,b\n', [['a', 'b']]],
] as const) {
  test(`rows of ${JSON.stringify(text)}, in chunks of any size`, () => {
    for (const chunk of [1, 2, 3, 1000]) {
      assert.deepEqual(split(text, chunk), { isComplete: true, rows, skipped: 0 });
    }
  });
}

test('a last row without its line end is passed on, and reported', () => {
  assert.deepEqual(split('a\nb', 1), { isComplete: false, rows: [['a'], ['b']], skipped: 0 });
});

test('a row that is too long is left out, and costs no memory', () => {
  const long = 'x'.repeat(ROW_LENGTH + 1);
  for (const chunk of [65_536, 10_000_000]) {
    assert.deepEqual(split(`a\n${long}\nb\n${long}`, chunk), {
      isComplete: false,
      rows: [['a'], ['b']],
      skipped: 2,
    });
  }
});

test('quotes in a long row cost no more than their characters', () => {
  const cells = '"a,b",'.repeat(100_000);
  const { rows } = split(`${cells}\n`, 65_536);
  assert.equal(rows[0]?.length, 100_001);
});
