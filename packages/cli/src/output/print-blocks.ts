// Writes a report as text, as Markdown or as its JSON document.
import { usageError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { type Block, formatBlocks, markdownBlocks } from './blocks.ts';
import type { Output, Paint } from './output.ts';

export const MARKDOWN_OPTION = {
  flags: '--markdown',
  help: 'write Markdown tables, for a comment of a pull request',
} as const;

/** How a report is written. Throws a usage error if `markdown` and `--json` are given together. */
export function reportWriter(
  io: Io,
  output: Pick<Output, 'json'>,
  markdown: boolean | undefined,
): (blocks: readonly Block[], paint: Paint) => string[] {
  if (markdown !== true) {
    return (blocks, paint) => formatBlocks(blocks, paint, io.stdout.columns);
  }
  if (output.json) throw usageError('Use --json or --markdown, not both.');
  return markdownBlocks;
}
