// Markdown of developers as HTML: CommonMark without HTML and without images, its links marked as a stranger's.
import MarkdownIt from 'markdown-it';
import { Html } from './html.ts';

const HEADING_SHIFT = 2;

const reader = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
// A picture in a description would tell every reader's address to whoever holds it: screenshots are for that.
reader.disable('image');
reader.renderer.rules['heading_open'] = (tokens, index) => `<h${levelOf(tokens[index]?.tag)}>`;
reader.renderer.rules['heading_close'] = (tokens, index) => `</h${levelOf(tokens[index]?.tag)}>\n`;
// The policy of our pages takes no style attribute, which is how a column would be aligned.
reader.renderer.rules['th_open'] = () => '<th>';
reader.renderer.rules['td_open'] = () => '<td>';
reader.renderer.rules['link_open'] = (tokens, index, options, _environment, renderer) => {
  tokens[index]?.attrSet('rel', 'nofollow ugc noopener noreferrer');
  return renderer.renderToken(tokens, index, options);
};
reader.validateLink = (address) => /^(?:https?:|mailto:)/i.test(address.trim());

/** The HTML of Markdown text. HTML in it stays text; links lead to http, https and mailto only. */
export function renderMarkdown(text: string): Html {
  return new Html(reader.render(text));
}

/** As `renderMarkdown`, a few of its blocks in each: a browser lays out the ones that come near. */
export function renderMarkdownParts(text: string, blocksEach: number): Html[] {
  const environment = {};
  const tokens = reader.parse(text, environment);
  const parts: Html[] = [];
  let [start, depth, blocks] = [0, 0, 0];
  for (const [index, { nesting }] of tokens.entries()) {
    depth += nesting;
    if (depth === 0) blocks++;
    const isLast = index === tokens.length - 1;
    // A heading stays with what it heads.
    const isHeading = tokens[index]?.type === 'heading_close';
    if (!isLast && (depth > 0 || blocks < blocksEach || isHeading)) continue;
    const part = tokens.slice(start, index + 1);
    parts.push(new Html(reader.renderer.render(part, reader.options, environment)));
    [start, blocks] = [index + 1, 0];
  }
  return parts;
}

/** The text of Markdown in one line without marks, cut to a number of characters: for previews and feeds. */
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

/** A description stands below the page's own headings: its first level is the page's third. */
function levelOf(tag = 'h1'): number {
  return Math.min(6, Number(tag.slice(1)) + HEADING_SHIFT);
}
