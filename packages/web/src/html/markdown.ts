// Renders developers' Markdown: CommonMark without HTML and images. Links are marked as user-generated.
import MarkdownIt from 'markdown-it';
import { Html } from './html.ts';

const HEADING_SHIFT = 2;

const reader = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
// An external image would reveal the IP address of every reader to its host.
reader.disable('image');
reader.renderer.rules['heading_open'] = (tokens, index) => `<h${levelOf(tokens[index]?.tag)}>`;
reader.renderer.rules['heading_close'] = (tokens, index) => `</h${levelOf(tokens[index]?.tag)}>\n`;
// markdown-it aligns columns with a style attribute, which the content security policy forbids.
reader.renderer.rules['th_open'] = () => '<th>';
reader.renderer.rules['td_open'] = () => '<td>';
reader.renderer.rules['link_open'] = (tokens, index, options, _environment, renderer) => {
  tokens[index]?.attrSet('rel', 'nofollow ugc noopener noreferrer');
  return renderer.renderToken(tokens, index, options);
};
reader.validateLink = (address) => /^(?:https?:|mailto:)/i.test(address.trim());

/** Renders Markdown as HTML. HTML in the source is escaped. Links other than http, https and mailto stay text. */
export function renderMarkdown(text: string): Html {
  return new Html(reader.render(text));
}

/** Renders Markdown in parts of `blocksEach` top-level blocks, so that a browser can lay out each part when it comes into view. */
export function renderMarkdownParts(text: string, blocksEach: number): Html[] {
  const environment = {};
  const tokens = reader.parse(text, environment);
  const parts: Html[] = [];
  let [start, depth, blocks] = [0, 0, 0];
  for (const [index, { nesting }] of tokens.entries()) {
    depth += nesting;
    if (depth === 0) blocks++;
    const isLast = index === tokens.length - 1;
    // A heading stays in one part with the block after it.
    const isHeading = tokens[index]?.type === 'heading_close';
    if (!isLast && (depth > 0 || blocks < blocksEach || isHeading)) continue;
    const part = tokens.slice(start, index + 1);
    parts.push(new Html(reader.renderer.render(part, reader.options, environment)));
    [start, blocks] = [index + 1, 0];
  }
  return parts;
}

/** The plain text of Markdown in one line, at most `characters` long: for previews and feeds. */
export function summarizeMarkdown(text: string, characters: number): string {
  const plain = reader
    .parse(text, {})
    .flatMap((token) => token.children ?? [])
    .filter(
      (token) =>
        token.type === 'text' || token.type === 'softbreak' || token.type === 'code_inline',
    )
    .map((token) => (token.type === 'softbreak' ? ' ' : token.content))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  const all = [...plain];
  return all.length <= characters ? plain : `${all.slice(0, characters - 1).join('')}…`;
}

/** The level of a heading in the page: level 1 of a description is level 3 of the page. */
function levelOf(tag = 'h1'): number {
  return Math.min(6, Number(tag.slice(1)) + HEADING_SHIFT);
}
