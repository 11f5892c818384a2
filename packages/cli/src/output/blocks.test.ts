// A report for a terminal and as Markdown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Block, formatBlocks, markdownBlocks } from './blocks.ts';
import type { Paint } from './output.ts';

const marked: Paint = (tone, text) => `<${tone}>${text}</${tone}>`;
const COLUMNS = [{ title: 'N', align: 'right' }, { title: 'NAME' }] as const;
const BLOCKS: Block[] = [
  { kind: 'text', lines: ['It is\nslower | x', 'So'], tone: 'red' },
  { kind: 'table', title: 'Empty', columns: COLUMNS, rows: [] },
  {
    kind: 'table',
    title: 'Rows',
    columns: COLUMNS,
    rows: [{ cells: ['1', 'a\u001b|'], tone: 'green' }, { cells: ['22', 'b'] }],
  },
  { kind: 'note', lines: ['Use --limit N.'] },
];

test('formatBlocks paints the first line of a text and the rows with a tone, and leaves out empty tables', () => {
  assert.deepEqual(formatBlocks(BLOCKS, marked), [
    '<red>It is\\nslower | x</red>',
    'So',
    '',
    '<bold>Rows</bold>',
    ' N  NAME',
    '<green> 1  a\\x1b|</green>',
    '22  b',
    '',
    'Use --limit N.',
  ]);
});

test('formatBlocks fits tables into the width', () => {
  const wide: Block = {
    kind: 'table',
    columns: COLUMNS,
    rows: [{ cells: ['1', 'x'.repeat(50)] }],
  };
  assert.deepEqual(formatBlocks([wide], marked, 30), ['N  NAME', `1  ${'x'.repeat(26)}…`]);
});

const LIST: Block[] = [
  { kind: 'text', lines: ['One two three', 'four five'], tone: 'bold' },
  { kind: 'list', title: 'Items', items: ['six seven a', 'nine|\u001b'] },
  { kind: 'list', title: 'Empty', items: [] },
  { kind: 'note', lines: ['ten eleven twelve'] },
];

test('formatBlocks wraps texts, notes and lists at the width of a terminal', () => {
  assert.deepEqual(formatBlocks(LIST, marked, 11), [
    '<bold>One two</bold>',
    '<bold>three</bold>',
    'four five',
    '',
    '<bold>Items</bold>',
    '- six seven',
    '  a',
    '- nine|\\x1b',
    '',
    'ten eleven',
    'twelve',
  ]);
});

test('formatBlocks does not wrap texts on a pipe, but limits tables to 160 columns', () => {
  const long = 'a b '.repeat(50).trim();
  const table: Block = { kind: 'table', columns: COLUMNS, rows: [{ cells: ['1', long] }] };
  const [text, , , row = ''] = formatBlocks([{ kind: 'text', lines: [long] }, table], marked);
  assert.equal(text, long);
  assert.equal(row.length, 160);
});

test('markdownBlocks writes lists, and bold first lines of bold texts', () => {
  assert.deepEqual(markdownBlocks(LIST), [
    '**One two three**',
    '',
    'four five',
    '',
    '**Items**',
    '',
    '- six seven a',
    '- nine\\| ',
  ]);
  assert.deepEqual(markdownBlocks([{ kind: 'text', lines: [' a\n'], tone: 'bold' }]), ['**a**']);
});

test('markdownBlocks escapes all texts, and leaves out notes and empty tables', () => {
  assert.deepEqual(markdownBlocks(BLOCKS), [
    'It is slower \\| x',
    '',
    'So',
    '',
    '**Rows**',
    '',
    '| N | NAME |',
    '| ---: | --- |',
    '| 1 | a \\| |',
    '| 22 | b |',
  ]);
  assert.deepEqual(markdownBlocks([]), []);
});
