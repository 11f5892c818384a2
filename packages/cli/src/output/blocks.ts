// A report as paragraphs and tables, written for a terminal or as Markdown.
import { escapeMarkdown, markdownTable } from '@svc/trace';
import type { Paint, Tone } from './output.ts';
import { type Column, formatTable } from './table.ts';
import { safeLine } from './text.ts';

export type TableRow = { readonly cells: readonly string[]; readonly tone?: Tone };

/** Texts are plain: they are escaped when they are written. A `note` is an advice for the terminal only, such as an option to use. */
export type Block =
  | { readonly kind: 'text'; readonly lines: readonly string[]; readonly tone?: Tone }
  | { readonly kind: 'note'; readonly lines: readonly string[] }
  | {
      readonly kind: 'table';
      readonly title?: string;
      readonly columns: readonly Column[];
      readonly rows: readonly TableRow[];
    };

/** Columns with the longest text come last. On a pipe, where no width is known, they have at most this width. */
export const WIDE_COLUMN = 160;

/** The lines for a terminal of `width` columns. The last column of a wider table is clipped. Without text, blocks are left out. */
export function formatBlocks(blocks: readonly Block[], paint: Paint, width?: number): string[] {
  return joined(blocks.map((block) => linesOf(block, paint, width)));
}

function linesOf(block: Block, paint: Paint, width: number | undefined): string[] {
  if (block.kind !== 'table') {
    const tone = block.kind === 'text' ? block.tone : undefined;
    const lines = block.lines.map(safeLine);
    return lines.map((line, at) => (tone === undefined || at > 0 ? line : paint(tone, line)));
  }
  const { title, columns, rows } = block;
  if (rows.length === 0) return [];
  const [titles = '', ...lines] = formatTable(
    columns,
    rows.map(({ cells }) => cells),
    width,
  );
  return [
    ...(title === undefined ? [] : [paint('bold', safeLine(title))]),
    titles,
    ...lines.map((line, at) => {
      const tone = rows[at]?.tone;
      return tone === undefined ? line : paint(tone, line);
    }),
  ];
}

/** The same report as Markdown, without the notes. */
export function markdownBlocks(blocks: readonly Block[]): string[] {
  return joined(
    blocks.map((block) => {
      if (block.kind === 'note') return [];
      if (block.kind === 'text') {
        return block.lines.flatMap((line, at) => [...(at === 0 ? [] : ['']), escapeMarkdown(line)]);
      }
      const { title, columns, rows } = block;
      if (rows.length === 0) return [];
      const table = markdownTable(
        columns,
        rows.map(({ cells }) => cells),
      );
      return title === undefined ? table : [`**${escapeMarkdown(title)}**`, '', ...table];
    }),
  );
}

/** All lines, with an empty line between blocks. */
function joined(blocks: readonly (readonly string[])[]): string[] {
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => [...(at === 0 ? [] : ['']), ...lines]);
}
