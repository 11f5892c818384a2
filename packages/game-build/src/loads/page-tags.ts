// Reads the tags of a page, in linear time: comments and text are skipped (https://html.spec.whatwg.org/#tokenization).

export type Tag = {
  /** In lower case. */
  readonly name: string;
  readonly isEnd: boolean;
  /** By lower-case name. Values are as written, with character references. The first of equal names counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** The offset of the tag. */
  readonly at: number;
  /** The content of an element that contains only text, such as a script. Empty for others. */
  readonly content: string;
  /** The offset of `content`. */
  readonly contentAt: number;
};

/** Elements whose content is text. `noscript` is one of them in a browser that runs scripts. */
const TEXT_ELEMENTS = new Set(
  'script style textarea title xmp iframe noembed noframes noscript'.split(' '),
);

/** Yields the tags in order. Ends early at a comment, tag or script that is not closed, as a browser ignores it. */
export function* readTags(page: string): Generator<Tag> {
  let at = page.indexOf('<');
  while (at >= 0) {
    const open = openingAt(page, at);
    if (open === null) return;
    if (open.tag === null) {
      at = page.indexOf('<', open.end);
      continue;
    }
    const { tag } = open;
    const isText = !tag.isEnd && TEXT_ELEMENTS.has(tag.name);
    const contentEnd = isText ? endOfText(page, tag.name, open.end) : open.end;
    yield { ...tag, content: page.slice(open.end, contentEnd), contentAt: open.end };
    if (tag.name === 'plaintext') return;
    at = page.indexOf('<', contentEnd);
  }
}

type Opening = {
  /** Null for a comment, or for a `<` in a text. */
  readonly tag: Pick<Tag, 'name' | 'isEnd' | 'attributes' | 'at'> | null;
  readonly end: number;
};

/** What the `<` at `at` begins. Null if it is not closed. */
function openingAt(page: string, at: number): Opening | null {
  if (page.startsWith('<!--', at)) return skipTo(page, '-->', at + 2);
  const isEnd = page[at + 1] === '/';
  const first = page.charAt(at + (isEnd ? 2 : 1));
  if (!/[a-z]/i.test(first)) {
    const isComment = isEnd || first === '!' || first === '?';
    return isComment ? skipTo(page, '>', at + 1) : { tag: null, end: at + 1 };
  }
  const nameAt = at + (isEnd ? 2 : 1);
  NAME.lastIndex = nameAt;
  const name = NAME.exec(page)?.[0] ?? '';
  const attributes = new Map<string, string>();
  const end = readAttributes(page, nameAt + name.length, attributes);
  if (end < 0) return null;
  return { tag: { name: name.toLowerCase(), isEnd, attributes, at }, end };
}

function skipTo(page: string, mark: string, from: number): Opening | null {
  const end = page.indexOf(mark, from);
  return end < 0 ? null : { tag: null, end: end + mark.length };
}

const NAME = /[^\s/>]+/y;
const ATTRIBUTE_GAP = /[\s/]*/y;
const ATTRIBUTE_NAME = /[^\s/>][^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const BARE_VALUE = /[^\s>]*/y;

/** Adds the attributes from `from` on. Returns the offset after the tag's `>`, or -1 if there is none. */
function readAttributes(page: string, from: number, attributes: Map<string, string>): number {
  let at = from;
  for (;;) {
    at += matchAt(ATTRIBUTE_GAP, page, at).length;
    if (at >= page.length) return -1;
    if (page[at] === '>') return at + 1;
    const name = matchAt(ATTRIBUTE_NAME, page, at);
    at += name.length;
    const equals = matchAt(EQUALS, page, at);
    at += equals.length;
    let value = '';
    if (equals !== '') {
      const quote = page[at];
      if (quote === '"' || quote === "'") {
        const end = page.indexOf(quote, at + 1);
        if (end < 0) return -1;
        value = page.slice(at + 1, end);
        at = end + 1;
      } else {
        value = matchAt(BARE_VALUE, page, at);
        at += value.length;
      }
    }
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, value);
  }
}

function matchAt(pattern: RegExp, page: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(page)?.[0] ?? '';
}

/** The end of the content of a text element: its end tag, or the end of the page. */
function endOfText(page: string, name: string, from: number): number {
  const pattern = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(page)?.index ?? page.length;
}
