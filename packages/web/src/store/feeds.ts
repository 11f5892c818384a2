// RSS feeds of new games and of a game's releases, and robots.txt.
import { type Html, html } from '../html/html.ts';
import { renderMarkdown } from '../html/markdown.ts';
import type { Raw, Redirect } from '../routes/route.ts';
import { pathParam, type Visit } from '../visit/visit.ts';
import { movedGame } from './moved-game.ts';

/** The first line of XML. */
export const XML = html`<?xml version="1.0" encoding="UTF-8"?>
`;
const FEED_SECONDS = 300;

/** RSS 2.0 of the newest games. */
export async function newestFeed(visit: Visit): Promise<Raw> {
  const { web, api } = visit;
  const { games } = await api.call('home', { query: { limit: '50' } });
  const items = games.map((game) =>
    feedItem({
      link: `${web.origin}/games/${game.slug}`,
      id: game.id,
      title: game.title,
      time: game.published_at ?? game.created_at,
      body: html`<p>${game.tagline ?? game.title}</p>`,
    }),
  );
  const title = `${web.name}: newest games`;
  return feed({ title, link: web.origin, self: `${web.origin}/feed.xml` }, items);
}

/** RSS 2.0 of a game's releases with their notes. */
export async function releasesFeed(visit: Visit): Promise<Raw | Redirect> {
  const params = { slug: pathParam(visit, 'slug') };
  const { web, api } = visit;
  const [{ game }, { releases }] = await Promise.all([
    api.call('game', { params }),
    api.call('gameReleases', { params, query: { limit: '50' } }),
  ]);
  const moved = movedGame(visit, game);
  if (moved !== null) return moved;
  const link = `${web.origin}/games/${game.slug}`;
  const items = releases.map((release) =>
    feedItem({
      link: `${link}/releases`,
      id: release.id,
      title: `${game.title} ${release.version}`,
      time: release.created_at,
      body:
        release.notes === null
          ? html`<p>Version ${release.version}</p>`
          : renderMarkdown(release.notes),
    }),
  );
  return feed({ title: `Releases of ${game.title}`, link, self: `${link}/releases.xml` }, items);
}

/** The rules for crawlers. */
export function robots({ web }: Visit): Raw {
  return {
    type: 'text/plain; charset=utf-8',
    content: `User-agent: *\nDisallow: /dashboard\nDisallow: /sign-in\nDisallow: /search\n\nSitemap: ${web.origin}/sitemap.xml\n`,
    headers: { 'cache-control': `public, max-age=${FEED_SECONDS}` },
  };
}

type FeedItem = {
  readonly link: string;
  /** The id of the game or release, which stays when the page moves. */
  readonly id: string;
  readonly title: string;
  readonly time: string;
  readonly body: Html;
};

function feedItem({ link, id, title, time, body }: FeedItem): Html {
  return html`<item><title>${xmlText(title)}</title><link>${link}</link><guid isPermaLink="false">urn:uuid:${id}</guid><pubDate>${new Date(time).toUTCString()}</pubDate><description>${xmlText(body.text)}</description></item>
`;
}

/** The channel of a feed: its title, the page that it describes, and its own address. */
type Channel = { readonly title: string; readonly link: string; readonly self: string };

function feed({ title, link, self }: Channel, items: readonly Html[]): Raw {
  return xmlAnswer(
    'application/rss+xml; charset=utf-8',
    html`${XML}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${xmlText(title)}</title><link>${link}</link><description>${xmlText(title)}</description><atom:link href="${self}" rel="self" type="application/rss+xml"/>
${items}</channel></rss>
`,
  );
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
