// Formats tables for terminals. Cells may contain any text, such as the names of games. Not part of text.ts, because
// string-width takes long to load and most commands print no table.
import stringWidth from 'string-width';
import { safeText } from './text.ts';

/** `max` is the maximum width in terminal columns. Longer cells end in an ellipsis. */
export type Column = { readonly title: string; readonly align?: 'right'; readonly max?: number };

const BETWEEN = '  ';
/** The last column keeps this width, however narrow the terminal is. */
const LEAST_WIDTH = 12;

/**
 * Formats rows below their titles, two spaces between columns, without trailing spaces. Line feeds and tabs become spaces. Other
 * control characters are escaped. If the table is wider than `width`, the cells of the last column are clipped.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number = Number.POSITIVE_INFINITY,
): string[] {
  const cells = [columns.map((column) => column.title), ...rows].map((row) =>
    row.map((cell, at) =>
      clipText(
        safeText(cell).replaceAll(/[\n\t]/g, ' '),
        columns[at]?.max ?? Number.MAX_SAFE_INTEGER,
      ),
    ),
  );
  const widths = columns.map((_, at) =>
    cells.reduce((widest, row) => Math.max(widest, stringWidth(row[at] ?? '')), 0),
  );
  const last = columns.length - 1;
  const others = widths.slice(0, last).reduce((sum, one) => sum + one + BETWEEN.length, 0);
  const most = Math.max(LEAST_WIDTH, width - others);
  return cells.map((row) =>
    row
      .map((cell, at) =>
        padCell(at === last ? clipText(cell, most) : cell, widths[at] ?? 0, columns[at]?.align),
      )
      .join(BETWEEN)
      .trimEnd(),
  );
}

function padCell(cell: string, width: number, align: 'right' | undefined): string {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cell)));
  return align === 'right' ? blanks + cell : cell + blanks;
}

/** Shortens the text to at most `columns` of a terminal, with an ellipsis at the end. Does not split a character and its marks. */
export function clipText(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let clipped = '';
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += stringWidth(segment);
    if (width > columns) break;
    clipped += segment;
  }
  return `${clipped}…`;
}

/** Breaks the text at blanks into lines of at most `width` columns of a terminal. Longer words are not broken. Does nothing without a width. */
export function wrapText(text: string, width: number | undefined): string[] {
  if (width === undefined || stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || stringWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
