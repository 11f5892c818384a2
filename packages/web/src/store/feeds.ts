// The feeds of new games and of a game's releases, robots.txt and security.txt.
import { securityText } from '@svc/serve';
import { failure } from '../failure.ts';
import { html } from '../html/html.ts';
import { renderMarkdown } from '../html/markdown.ts';
import type { Handler, Raw } from '../routes/route.ts';
import { pathParam, type Visit } from '../visit/visit.ts';
import { FEED_SECONDS, type FeedFormat, formatFeed, uuid } from './feed-format.ts';
import { movedGame } from './moved-game.ts';

/** The newest games. */
export function newestFeed(format: FeedFormat): Handler {
  return async ({ web, api }) => {
    const { games } = await api.call('home', { query: { limit: '50' } });
    const entries = games.map((game) => ({
      link: `${web.origin}/games/${game.slug}`,
      ...{ id: game.id, title: game.title, time: game.published_at ?? game.created_at },
      body: html`<p>${game.tagline ?? game.title}</p>`,
    }));
    const feed = {
      ...{ title: `${web.name}: newest games`, link: web.origin, base: `${web.origin}/feed` },
      ...{ id: `${web.origin}/feed`, author: web.name, entries },
    };
    return formatFeed(feed, format);
  };
}

/** The releases of a game with their notes. */
export function releasesFeed(format: FeedFormat): Handler {
  return async (visit) => {
    const params = { slug: pathParam(visit, 'slug') };
    const { web, api } = visit;
    const [{ game, developer }, { releases }] = await Promise.all([
      api.call('game', { params }),
      api.call('gameReleases', { params, query: { limit: '50' } }),
    ]);
    const moved = movedGame(visit, game);
    if (moved !== null) return moved;
    const link = `${web.origin}/games/${game.slug}`;
    const entries = releases.map((release) => ({
      link: `${link}/releases`,
      ...{ id: release.id, title: `${game.title} ${release.version}`, time: release.created_at },
      body:
        release.notes === null
          ? html`<p>Version ${release.version}</p>`
          : renderMarkdown(release.notes),
    }));
    const feed = {
      ...{ title: `Releases of ${game.title}`, link, base: `${link}/releases` },
      ...{ id: uuid(game.id), author: developer.name, entries },
    };
    return formatFeed(feed, format);
  };
}

/** The rules for crawlers. */
export function robots({ web }: Visit): Raw {
  return {
    type: 'text/plain; charset=utf-8',
    content: `User-agent: *\nDisallow: /dashboard\nDisallow: /sign-in\nDisallow: /search\nDisallow: /games/*/report\n\nSitemap: ${web.origin}/sitemap.xml\n`,
    headers: { 'cache-control': `public, max-age=${FEED_SECONDS}` },
  };
}

/** Whom to contact about a vulnerability. Throws `not_found` if the operator has named nobody. */
export function security({ web }: Visit): Raw {
  const { securityContacts, origin, now } = web;
  if (securityContacts.length === 0) throw failure('not_found', 'There is no such page');
  return {
    type: 'text/plain; charset=utf-8',
    content: securityText(securityContacts, origin, now()),
    headers: { 'cache-control': 'no-cache' },
  };
}
