// The sitemap: an index and files. Each file lists the games from a cursor on.
import { CATEGORIES, type PlatformClient } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';
import type { Raw } from '../routes/route.ts';
import { XML, xmlAnswer } from './feed-format.ts';

const CALL_GAMES = 100;
/** Games per file: 20 API calls. The protocol allows 50,000 addresses. */
const FILE_GAMES = 2000;
const INDEX_MS = 60 * 60_000;
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The parts of a visit that the sitemap uses. */
export type SitemapVisit = {
  readonly web: { readonly origin: string; readonly now: () => number };
  readonly api: PlatformClient;
  readonly url: URL;
};

export type Sitemap = {
  /** The index: the address of every file. */
  index(visit: SitemapVisit): Promise<Raw>;
  /** One file: the games after the cursor `?after=`. The first file, without a cursor, also lists the pages of games. */
  file(visit: SitemapVisit): Promise<Raw>;
};

/** Creates the sitemap. A file lists at most `fileGames` games. */
export function createSitemap(fileGames = FILE_GAMES): Sitemap {
  // The whole list is read once an hour to find the cursors. New games are in the first file, which starts at the newest.
  let known: { starts: Promise<readonly (string | null)[]>; until: number } | null = null;
  const findStarts = (visit: SitemapVisit): Promise<readonly (string | null)[]> => {
    const now = visit.web.now();
    if (known !== null && now < known.until) return known.starts;
    const entry = { starts: readStarts(visit.api, fileGames), until: now + INDEX_MS };
    known = entry;
    entry.starts.catch(() => {
      if (known === entry) known = null;
    });
    return entry.starts;
  };
  return {
    async index(visit) {
      const starts = await findStarts(visit);
      const { origin } = visit.web;
      const files = starts.map((start) => {
        const query = start === null ? '' : `?after=${encodeURIComponent(start)}`;
        return html`<sitemap><loc>${origin}/sitemap-games.xml${query}</loc></sitemap>\n`;
      });
      return sitemapXml('sitemapindex', files);
    },
    async file({ web: { origin }, api, url }) {
      const after = url.searchParams.get('after') || null;
      const { games } = await readRun(api, after, fileGames);
      const pages = ['/', ...CATEGORIES.map(({ id }) => `/categories/${id}`)];
      return sitemapXml('urlset', [
        ...(after === null
          ? pages.map((path) => html`<url><loc>${origin}${path}</loc></url>\n`)
          : []),
        ...games.map(
          ({ slug, updated_at }) =>
            html`<url><loc>${origin}/games/${slug}</loc><lastmod>${updated_at}</lastmod></url>\n`,
        ),
      ]);
    },
  };
}

async function readStarts(api: PlatformClient, fileGames: number): Promise<(string | null)[]> {
  const starts: (string | null)[] = [null];
  for (;;) {
    const { next } = await readRun(api, starts.at(-1) ?? null, fileGames);
    if (next === null) return starts;
    starts.push(next);
  }
}

/** At most `most` games after a cursor, and the cursor of the next file; null if there are no more games. */
async function readRun(api: PlatformClient, after: string | null, most: number) {
  const games: { slug: string; updated_at: string }[] = [];
  let next = after;
  do {
    const limit = String(Math.min(CALL_GAMES, most - games.length));
    const query = { limit, ...(next === null ? {} : { cursor: next }) };
    const listed = await api.call('home', { query });
    games.push(...listed.games);
    next = listed.next_cursor;
  } while (next !== null && games.length < most);
  return { games, next };
}

function sitemapXml(root: 'sitemapindex' | 'urlset', entries: readonly Html[]): Raw {
  const body =
    root === 'urlset'
      ? html`<urlset xmlns="${NAMESPACE}">\n${entries}</urlset>\n`
      : html`<sitemapindex xmlns="${NAMESPACE}">\n${entries}</sitemapindex>\n`;
  return xmlAnswer('application/xml; charset=utf-8', html`${XML}${body}`);
}
