// A report as paragraphs and tables, written for a terminal or as Markdown.
import { escapeMarkdown, markdownTable } from '@svc/trace';
import type { Paint, Tone } from './output.ts';
import { type Column, formatTable, wrapText } from './table.ts';
import { safeLine } from './text.ts';

export type TableRow = { readonly cells: readonly string[]; readonly tone?: Tone };

/**
 * Texts are plain: they are escaped when they are written. A `note` is an advice for the terminal only, such as an option to use. A
 * text with the tone `bold` has a bold first line in Markdown, too.
 */
export type Block =
  | { readonly kind: 'text'; readonly lines: readonly string[]; readonly tone?: Tone }
  | { readonly kind: 'note'; readonly lines: readonly string[] }
  | { readonly kind: 'list'; readonly title: string; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly title?: string;
      readonly columns: readonly Column[];
      readonly rows: readonly TableRow[];
    };

/** Columns with the longest text come last. On a pipe, where no width is known, tables are at most this wide. */
const WIDE_TABLE = 160;

/**
 * The lines for a terminal of `width` columns. Texts are wrapped between words, and the last column of a wider table is clipped. On
 * a pipe, the width is undefined and texts are not wrapped. Without text, blocks are left out.
 */
export function formatBlocks(blocks: readonly Block[], paint: Paint, width?: number): string[] {
  return joined(blocks.map((block) => linesOf(block, paint, width)));
}

function linesOf(block: Block, paint: Paint, width: number | undefined): string[] {
  switch (block.kind) {
    case 'table':
      return tableLines(block, paint, width ?? WIDE_TABLE);
    case 'list':
      return listLines(block, paint, width);
    case 'text':
    case 'note': {
      const tone = block.kind === 'text' ? block.tone : undefined;
      return block.lines.flatMap((line, at) =>
        wrapText(safeLine(line), width).map((part) =>
          tone === undefined || at > 0 ? part : paint(tone, part),
        ),
      );
    }
    default:
      return block satisfies never;
  }
}

function tableLines(
  { title, columns, rows }: Extract<Block, { kind: 'table' }>,
  paint: Paint,
  width: number,
): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => row.cells);
  const [titles = '', ...lines] = formatTable(columns, cells, width);
  return [
    ...(title === undefined ? [] : [paint('bold', safeLine(title))]),
    titles,
    ...lines.map((line, at) => {
      const tone = rows[at]?.tone;
      return tone === undefined ? line : paint(tone, line);
    }),
  ];
}

function listLines(
  { title, items }: Extract<Block, { kind: 'list' }>,
  paint: Paint,
  width: number | undefined,
): string[] {
  if (items.length === 0) return [];
  const inner = width === undefined ? undefined : width - LIST_MARK.length;
  return [
    paint('bold', safeLine(title)),
    ...items.flatMap((item) =>
      wrapText(safeLine(item), inner).map(
        (line, at) => `${at === 0 ? LIST_MARK : ' '.repeat(LIST_MARK.length)}${line}`,
      ),
    ),
  ];
}

const LIST_MARK = '- ';

/** The same report as Markdown, without the notes. */
export function markdownBlocks(blocks: readonly Block[]): string[] {
  return joined(blocks.map(markdownOf));
}

function markdownOf(block: Block): string[] {
  switch (block.kind) {
    case 'note':
      return [];
    case 'text':
      return block.lines.flatMap((line, at) => [
        ...(at === 0 ? [] : ['']),
        at === 0 && block.tone === 'bold' ? bold(line) : escapeMarkdown(line),
      ]);
    case 'list':
      return block.items.length === 0
        ? []
        : [bold(block.title), '', ...block.items.map((item) => `- ${escapeMarkdown(item)}`)];
    case 'table': {
      const { title, columns, rows } = block;
      if (rows.length === 0) return [];
      const cells = rows.map((row) => row.cells);
      const table = markdownTable(columns, cells);
      return title === undefined ? table : [bold(title), '', ...table];
    }
    default:
      return block satisfies never;
  }
}

/** Blanks at the ends would keep the marks from being read as such. */
function bold(text: string): string {
  return `**${escapeMarkdown(text).trim()}**`;
}

/** All lines, with an empty line between blocks. */
function joined(blocks: readonly (readonly string[])[]): string[] {
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => [...(at === 0 ? [] : ['']), ...lines]);
}
