// Tables on a terminal: alignment and clipping of text in any script, and hostile cells.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipText, formatTable, wrapText } from './table.ts';

test('clipText cuts text to a width in terminal columns', () => {
  const rows: [text: string, columns: number, clipped: string][] = [
    ['abcd', 4, 'abcd'],
    ['abcde', 4, 'abc…'],
    ['猫猫', 4, '猫猫'],
    ['猫猫猫', 5, '猫猫…'],
    ['猫猫猫', 4, '猫…'],
    ['© 2026™', 7, '© 2026™'],
  ];
  for (const [text, columns, clipped] of rows) assert.equal(clipText(text, columns), clipped, text);
});

test('clipText does not split a character from its marks, nor joined emoji', () => {
  const astronaut = '👩\u200d🚀';
  const accented = 'e\u0301';
  const rows: [text: string, columns: number, clipped: string][] = [
    [astronaut.repeat(3), 6, astronaut.repeat(3)],
    [astronaut.repeat(3), 5, `${astronaut.repeat(2)}…`],
    [astronaut.repeat(3), 4, `${astronaut}…`],
    [accented.repeat(4), 4, accented.repeat(4)],
    [accented.repeat(4), 3, `${accented.repeat(2)}…`],
    ['👍🏽👍🏽', 3, '👍🏽…'],
    ['🇩🇪🇫🇷', 3, '🇩🇪…'],
  ];
  for (const [text, columns, clipped] of rows) assert.equal(clipText(text, columns), clipped, text);
});

test('formatTable aligns columns under their titles, cuts long cells, and writes each row on one line without control characters', () => {
  const columns = [
    { title: 'NAME', max: 6 },
    { title: 'SIZE', align: 'right' },
    { title: 'X' },
  ] as const;
  const rows = [
    ['a\nb', '5', ''],
    ['longer name', '12345', 'y\u001b'],
    ['猫', '', 'z'],
    ['a\tb', '6', '\u202e'],
  ];
  assert.deepEqual(formatTable(columns, rows), [
    'NAME     SIZE  X',
    'a b         5',
    'longe…  12345  y\\x1b',
    '猫             z',
    'a b         6  \\u202e',
  ]);
  assert.deepEqual(formatTable([{ title: 'NAME' }], []), ['NAME']);
});

test('formatTable clips the last column of a table that is wider than the terminal', () => {
  const columns = [{ title: 'N', align: 'right' }, { title: 'NAME' }] as const;
  const rows = [['1', 'a'.repeat(40)]];
  const nameAt = (width?: number) => formatTable(columns, rows, width)[1]?.slice(3);
  assert.equal(nameAt(), 'a'.repeat(40));
  assert.equal(nameAt(43), 'a'.repeat(40));
  assert.equal(nameAt(42), `${'a'.repeat(38)}…`);
  assert.equal(nameAt(5), `${'a'.repeat(11)}…`);
});

test('wrapText breaks lines between words, and keeps a longer word whole', () => {
  assert.deepEqual(wrapText('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapText('one two three', 13), ['one two three']);
  assert.deepEqual(wrapText('one two three', 12), ['one two', 'three']);
  assert.deepEqual(wrapText('one two three', undefined), ['one two three']);
  assert.deepEqual(wrapText('extraordinary x', 5), ['extraordinary', 'x']);
  assert.deepEqual(wrapText('日本 語', 4), ['日本', '語']);
  assert.deepEqual(wrapText('', 5), ['']);
});
