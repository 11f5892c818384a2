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
