// The code blocks of a document.
import { parseMarkdown } from '../../site/markdown/parse-markdown.ts';

export type CodeBlock = { readonly language: string; readonly text: string };

/** Returns the fenced blocks in their order. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return parseMarkdown(markdown).code.flatMap(({ language, text }) =>
    language === null ? [] : [{ language, text }],
  );
}

/** Returns the only block in the language. Throws if there is none or another one. */
export function onlyBlock(markdown: string, language: string): string {
  const found = codeBlocks(markdown).filter((block) => block.language === language);
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${language}`);
  return found[0]?.text ?? '';
}
