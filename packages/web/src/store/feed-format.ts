// Formats a feed as RSS 2.0 or as Atom (RFC 4287).
import { type Html, html } from '../html/html.ts';
import type { Raw } from '../routes/route.ts';

/** The first line of XML. */
export const XML = html`<?xml version="1.0" encoding="UTF-8"?>
`;
/** How long caches may keep feeds and files for crawlers. */
export const FEED_SECONDS = 300;

/** The end of a feed's address, and its format. */
export type FeedFormat = 'xml' | 'atom';

export type Feed = {
  readonly title: string;
  /** The page that it describes. */
  readonly link: string;
  /** Its own address without the end. */
  readonly base: string;
  /** An address or URN that stays when the page moves. */
  readonly id: string;
  readonly author: string;
  /** The newest first. */
  readonly entries: readonly FeedEntry[];
};

type FeedEntry = {
  readonly link: string;
  /** The id of the game or release, which stays when the page moves. */
  readonly id: string;
  readonly title: string;
  readonly time: string;
  readonly body: Html;
};

/** Returns the feed in the format. */
export function formatFeed(feed: Feed, format: FeedFormat): Raw {
  return format === 'atom'
    ? xmlAnswer('application/atom+xml; charset=utf-8', formatAtom(feed))
    : xmlAnswer('application/rss+xml; charset=utf-8', formatRss(feed));
}

function formatRss({ title, link, base, entries }: Feed): Html {
  return html`${XML}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${xmlText(title)}</title><link>${link}</link><description>${xmlText(title)}</description><atom:link href="${base}.xml" rel="self" type="application/rss+xml"/>
${entries.map(
  (entry) =>
    html`<item><title>${xmlText(entry.title)}</title><link>${entry.link}</link><guid isPermaLink="false">${uuid(entry.id)}</guid><pubDate>${new Date(entry.time).toUTCString()}</pubDate><description>${xmlText(entry.body.text)}</description></item>
`,
)}</channel></rss>
`;
}

function formatAtom({ title, link, base, id, author, entries }: Feed): Html {
  const updated = entries[0]?.time ?? new Date(0).toISOString();
  return html`${XML}<feed xmlns="http://www.w3.org/2005/Atom"><title>${xmlText(title)}</title><id>${id}</id><updated>${updated}</updated><author><name>${xmlText(author)}</name></author><link rel="self" type="application/atom+xml" href="${base}.atom"/><link rel="alternate" type="text/html" href="${link}"/>
${entries.map(
  (entry) =>
    html`<entry><title>${xmlText(entry.title)}</title><id>${uuid(entry.id)}</id><published>${entry.time}</published><updated>${entry.time}</updated><link rel="alternate" type="text/html" href="${entry.link}"/><content type="html">${xmlText(entry.body.text)}</content></entry>
`,
)}</feed>
`;
}

/** Ids of the platform are UUIDs. */
export function uuid(id: string): string {
  return `urn:uuid:${id}`;
}

/** An XML response. It may be cached for five minutes, and its policy prevents scripts in a browser. */
export function xmlAnswer(type: string, body: Html): Raw {
  return {
    type,
    content: body.text,
    headers: {
      'cache-control': `public, max-age=${FEED_SECONDS}`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
}

/** Removes the characters that XML 1.0 does not allow. */
function xmlText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the function removes them
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').toWellFormed();
}
