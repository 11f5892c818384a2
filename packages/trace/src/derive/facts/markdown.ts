// Paragraphs and tables of Markdown, for issue trackers and pull requests. The text may come from anyone, such as names in a trace.
import { replaceControls } from '../../format/control-characters.ts';

export type MarkdownColumn = { readonly title: string; readonly align?: 'right' };

/** A table in GitHub's Markdown: a line for the titles, one for the alignment, and one for each row. Cells are escaped. */
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
 * One line of Markdown that shows the text as it is: no markup, no HTML, no link, no emoji, and no notification of a person. Line feeds,
 * tabs and other control characters become spaces.
 */
export function escapeMarkdown(text: string): string {
  return (
    replaceControls(text, () => ' ')
      .replaceAll(/[\\`*_~[\]|#!$]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('://', ':\\/\\/')
      .replaceAll('@', '@&#8203;')
      // GitHub makes a link of `www.example` and a picture of `:tada:`.
      .replaceAll(/www(?=\.)/gi, '$&&#8203;')
      .replaceAll(/:(?=[\w+\\-]+:)/g, ':&#8203;')
  );
}
