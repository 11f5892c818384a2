// Writes tables and paragraphs of Markdown, for comments of pull requests. The text may come from anyone, such as names in a trace.
import { safeText } from './text.ts';

type MarkdownColumn = { readonly title: string; readonly align?: 'right' };

/** A table in GitHub's Markdown: a line for the titles, a line for the alignment, and one for each row. */
export function markdownTable(
  columns: readonly MarkdownColumn[],
  rows: readonly (readonly string[])[],
): string[] {
  return [
    lineOf(columns.map(({ title }) => escapeMarkdown(title))),
    lineOf(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => lineOf(columns.map((_, at) => escapeMarkdown(row[at] ?? '')))),
  ];
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/**
 * One line of Markdown that shows the text as it is: no markup, no HTML, no link, and no notification of a person. Line feeds and
 * tabs become spaces, and control characters are escaped.
 */
export function escapeMarkdown(text: string): string {
  return safeText(text)
    .replaceAll(/[\n\t]/g, ' ')
    .replaceAll(/[\\`*_~[\]|#!$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('://', ':\\/\\/')
    .replaceAll('@', '@&#8203;');
}
