// For machines that read: RSS of games and of a game's releases, robots.txt.
import { type Html, html } from '../html/html.ts';
import { renderMarkdown } from '../html/markdown.ts';
import type { Raw } from '../routes/route.ts';
import { pathParam, type Visit } from '../visit/visit.ts';

/** The first line of XML. */
export const XML = html`<?xml version="1.0" encoding="UTF-8"?>
`;
const FEED_SECONDS = 300;

/** RSS 2.0 of the newest games. */
export async function newestFeed(visit: Visit): Promise<Raw> {
  const { web, api } = visit;
  const { games } = await api.call('home', { query: { limit: '50' } });
  const items = games.map((game) =>
    item(
      `${web.origin}/games/${game.slug}`,
      `${web.origin}/games/${game.slug}`,
      game.title,
      game.published_at ?? game.created_at,
      html`<p>${game.tagline ?? game.title}</p>`,
    ),
  );
  return feed(visit, `${web.name}: newest games`, web.origin, '/feed.xml', items);
}

/** RSS 2.0 of a game's releases with their notes. */
export async function releasesFeed(visit: Visit): Promise<Raw> {
  const params = { slug: pathParam(visit, 'slug') };
  const { web, api } = visit;
  const [{ game }, { releases }] = await Promise.all([
    api.call('game', { params }),
    api.call('gameReleases', { params, query: { limit: '50' } }),
  ]);
  const link = `${web.origin}/games/${game.slug}`;
  const items = releases.map((release) =>
    item(
      `${link}/releases`,
      `${link}#${release.id}`,
      `${game.title} ${release.version}`,
      release.created_at,
      release.notes === null
        ? html`<p>Version ${release.version}</p>`
        : renderMarkdown(release.notes),
    ),
  );
  return feed(visit, `Releases of ${game.title}`, link, `/games/${game.slug}/releases.xml`, items);
}

/** What crawlers may read. */
export function robots({ web }: Visit): Raw {
  return {
    type: 'text/plain; charset=utf-8',
    content: `User-agent: *\nDisallow: /dashboard\nDisallow: /sign-in\nDisallow: /search\n\nSitemap: ${web.origin}/sitemap.xml\n`,
    headers: { 'cache-control': `public, max-age=${FEED_SECONDS}` },
  };
}

function item(link: string, id: string, title: string, time: string, body: Html): Html {
  return html`<item><title>${xmlText(title)}</title><link>${link}</link><guid isPermaLink="false">${id}</guid><pubDate>${new Date(time).toUTCString()}</pubDate><description>${xmlText(body.text)}</description></item>
`;
}

function feed(
  visit: Visit,
  title: string,
  link: string,
  path: string,
  items: readonly Html[],
): Raw {
  return xmlAnswer(
    'application/rss+xml; charset=utf-8',
    html`${XML}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${xmlText(title)}</title><link>${link}</link><description>${xmlText(title)}</description><atom:link href="${visit.web.origin}${path}" rel="self" type="application/rss+xml"/>
${items}</channel></rss>
`,
  );
}

/** XML as an answer: kept for five minutes, and doing nothing where a browser opens it. */
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

/** Text without the characters that XML 1.0 has no way to hold. */
function xmlText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').toWellFormed();
}
