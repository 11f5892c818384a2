// The lists of games, newest first: the front page, categories and tags. Each page of a list has its own address.
import { CATEGORIES, type CategoryId, type Game } from '@svc/contracts/platform';
import { failure } from '../failure.ts';
import { coverImage, sharedImage } from '../games/cover.ts';
import { gameGrid, pager, tagList } from '../games/game-grid.ts';
import { engineName } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { pathParam, type Visit } from '../visit/visit.ts';

const TAGS_SHOWN = 16;
const PAGE_GAMES = 24;

type Choice = { readonly category?: CategoryId; readonly tag?: string };

/** All games, newest first. */
export async function homePage(visit: Visit): Promise<Page> {
  const { games, developers, next_cursor, cursor } = await listGames(visit, {});
  const [first, ...rest] = games;
  const isFront = cursor === null && first !== undefined;
  return {
    title: cursor === null ? visit.web.name : 'Older games',
    place: 'home',
    about: {
      description:
        'Play games in your browser, without installation or account. Newest games first.',
      path: '/',
      image: sharedImage(first?.cover_url, first?.cover_variants),
      structured: {
        '@context': 'https://schema.org',
        '@type': 'WebSite',
        name: visit.web.name,
        url: visit.web.origin,
      },
    },
    feed: { base: '/feed', title: 'Newest games' },
    body: html`<h1 class="visually-hidden">${visit.web.name}: newest games</h1>
${isFront && feature(first)}
${categoryBar(null)}
${
  games.length === 0
    ? emptyStore()
    : html`<section aria-labelledby="newest"><h2 id="newest">${cursor === null ? 'Newest' : 'Older games'}</h2>${gameGrid(isFront ? rest : games, developers)}
${isFront && rest.length === 0 && html`<p class="quiet-text">There are no other games yet.</p>`}</section>`
}
${commonTags(games)}
${pager('/', cursor, next_cursor)}`,
  };
}

/** Games of one category. */
export async function categoryPage(visit: Visit): Promise<Page> {
  const id = pathParam(visit, 'id');
  const category = CATEGORIES.find((one) => one.id === id);
  if (category === undefined) throw failure('not_found', 'There is no such category');
  const listed = await listGames(visit, { category: category.id });
  const path = `/categories/${category.id}`;
  return listPage(visit, { path, title: `${category.name} games`, above: categoryBar(id), listed });
}

/** Games with one tag. */
export async function tagPage(visit: Visit): Promise<Page> {
  const tag = pathParam(visit, 'tag');
  if (!/^[a-z0-9-]{2,24}$/.test(tag)) throw failure('not_found', 'There is no such tag');
  const listed = await listGames(visit, { tag });
  return listPage(visit, {
    path: `/tags/${tag}`,
    title: `Games tagged “${tag}”`,
    above: null,
    listed,
  });
}

type Listed = Awaited<ReturnType<typeof listGames>>;

async function listGames({ api, url }: Visit, choice: Choice) {
  const cursor = url.searchParams.get('cursor');
  // The front page shows the newest game above the grid, and the grid still has full rows.
  const isFront = !cursor && choice.category === undefined && choice.tag === undefined;
  const limit = String(PAGE_GAMES + (isFront ? 1 : 0));
  const query = { limit, ...choice, ...(cursor ? { cursor } : {}) };
  return { ...(await api.call('home', { query })), cursor: cursor || null };
}

type List = {
  readonly path: string;
  readonly title: string;
  readonly above: Shown;
  readonly listed: Listed;
};

function listPage(visit: Visit, { path, title, above, listed }: List): Page {
  const { games, developers, next_cursor, cursor } = listed;
  return {
    title,
    place: 'home',
    about: {
      description: `${title} on ${visit.web.name}, newest first.`,
      path,
      image: sharedImage(games[0]?.cover_url, games[0]?.cover_variants),
    },
    body: html`${above}<section aria-labelledby="list"><h1 id="list">${title}</h1>
${games.length === 0 ? html`<p class="empty">No games yet. <a href="/">See the newest games</a> in all categories.</p>` : html`<h2 class="visually-hidden">Games</h2>${gameGrid(games, developers)}`}</section>
${commonTags(games)}
${pager(path, cursor, next_cursor)}`,
  };
}

/** The newest game, large. */
function feature(game: Game): Html {
  return html`<section class="feature" aria-label="Newest game">
<a class="feature-cover" href="/games/${game.slug}" tabindex="-1" aria-hidden="true">${coverImage(game, 'feature', true)}</a>
<div class="feature-text"><p class="eyebrow">New · ${engineName(game.engine)}</p><h2><a href="/games/${game.slug}">${game.title}</a></h2>
${game.tagline && html`<p class="lead">${game.tagline}</p>`}
<p class="actions"><a class="button" href="/games/${game.slug}?play=1#player">Play now</a> <a class="button quiet" href="/games/${game.slug}">About the game</a></p></div>
</section>`;
}

function categoryBar(current: string | null): Html {
  return html`<nav class="chips" aria-label="Categories"><a href="/"${current === null && html` aria-current="page"`}>All</a>${CATEGORIES.map(
    ({ id, name }) =>
      html`<a href="/categories/${id}"${id === current && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`;
}

function commonTags(games: readonly Game[]): Shown {
  const counts = new Map<string, number>();
  for (const tag of games.flatMap((game) => game.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const common = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const tags = common.slice(0, TAGS_SHOWN).map(([tag]) => tag);
  return (
    tags.length > 0 && html`<section class="tag-cloud"><h2>Tags</h2>${tagList(tags)}</section>`
  );
}

function emptyStore(): Html {
  return html`<div class="empty"><h2>No games have been published yet</h2><p>Be the first: create a game and upload it as a ZIP file.</p><p><a class="button" href="/dashboard">Publish a game</a></p></div>`;
}
