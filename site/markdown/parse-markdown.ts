// What the site and its tests need of a Markdown document: headings with their anchors, links, and code.
import MarkdownIt from 'markdown-it';
import { slugOf } from '../vitepress/slug.ts';

type Heading = { readonly level: number; readonly text: string; readonly anchor: string };

/** The target of a link or an image, as it is written. `line` is 1-based: the first line of the paragraph. */
type Link = { readonly target: string; readonly line: number };

/** A block of code, or code in a sentence, whose language is null. `line` is 1-based: the first line of the block or paragraph. */
export type Code = {
  readonly language: string | null;
  readonly text: string;
  readonly line: number;
};

export type Parsed = {
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
  readonly code: readonly Code[];
};

const parser = new MarkdownIt({ html: true });
// Links stay as they are written.
parser.normalizeLink = (target) => target;
parser.validateLink = () => true;

type Token = ReturnType<typeof parser.parse>[number];

/** Parses a document. Front matter must have been removed. */
export function parseMarkdown(text: string): Parsed {
  const tokens = parser.parse(text, {});
  const parts = partsOf(tokens);
  return {
    headings: readHeadings(tokens),
    links: parts.flatMap(({ token, line }) => targetsIn(token).map((target) => ({ target, line }))),
    code: parts.flatMap(({ token, line }) => codeIn(token, line)),
  };
}

type Part = { readonly token: Token; readonly line: number };

/** All tokens with their lines. The cells of a table have the line of their row. */
function partsOf(tokens: readonly Token[]): Part[] {
  let line = 1;
  return tokens.flatMap((token) => {
    line = token.map === null ? line : token.map[0] + 1;
    return [token, ...(token.children ?? [])].map((one) => ({ token: one, line }));
  });
}

function readHeadings(tokens: readonly Token[]): Heading[] {
  const counts = new Map<string, number>();
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const text = textOf(tokens[index + 1]);
    const slug = slugOf(text);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    const anchor = count === 0 ? slug : `${slug}-${count}`;
    return [{ level: Number(token.tag.slice(1)), text, anchor }];
  });
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');
}

function targetsIn(token: Token): string[] {
  if (token.type === 'link_open') return [String(token.attrGet('href') ?? '')];
  if (token.type === 'image') return [String(token.attrGet('src') ?? '')];
  if (token.type !== 'html_block' && token.type !== 'html_inline') return [];
  return [...token.content.matchAll(/\b(?:src|href|srcset)=(?:"([^"]*)")?/g)].map(
    ([whole, target]) => {
      if (target === undefined) throw new Error(`Write ${whole} with double quotes`);
      return target;
    },
  );
}

function codeIn(token: Token, line: number): Code[] {
  if (token.type === 'fence' || token.type === 'code_block') {
    return [{ language: token.info.trim(), text: token.content, line }];
  }
  return token.type === 'code_inline' ? [{ language: null, text: token.content, line }] : [];
}
