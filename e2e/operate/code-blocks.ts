// The code blocks of a document.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/workspaces.ts';
import { parseMarkdown } from '../../site/markdown/parse-markdown.ts';

export type CodeBlock = { readonly language: string; readonly text: string };

/** Returns the fenced blocks in their order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return parseMarkdown(markdown).code.flatMap(({ language, text }) =>
    language === null ? [] : [{ language, text }],
  );
}

/**
 * Returns the only block in the language on a page in `docs`. Throws if there is none or another one. configuration.test.ts finds the calls,
 * so both arguments must be literals.
 */
export function guideBlock(page: string, language: string): string {
  const markdown = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const found = codeBlocks(markdown).filter((block) => block.language === language);
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${language}`);
  return found[0]?.text ?? '';
}
