// The search for games and developers by title, tag and name.

import { gameGrid } from '../games/game-grid.ts';
import { avatarImage } from '../html/format.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import type { Visit } from '../visit/visit.ts';

const QUERY_CHARACTERS = 200;
const RESULTS = '48';

export async function searchPage({ api, url }: Visit): Promise<Page> {
  const q = [...(url.searchParams.get('q') ?? '').trim()].slice(0, QUERY_CHARACTERS).join('');
  if (q === '') return emptySearch();
  const { games, developers } = await api.call('search', { query: { q, limit: RESULTS } });
  const known = await namesOf(api, games, developers);
  return {
    title: `Search: ${q}`,
    place: 'search',
    query: q,
    body: html`<h1>Results for “${q}”</h1>
${developers.length > 0 && html`<section aria-labelledby="people"><h2 id="people">Developers</h2><ul class="people">${developers.map((developer) => html`<li><a href="/devs/${developer.uid}">${avatarImage(developer, 32)}${developer.name}</a></li>`)}</ul></section>`}
${games.length > 0 && html`<section aria-labelledby="found"><h2 id="found">Games</h2>${gameGrid(games, known)}</section>`}
${games.length === 0 && developers.length === 0 && html`<p class="empty">No results. Try other words, a tag or a developer’s name, or see the <a href="/">newest games</a>.</p>`}`,
  };
}

function emptySearch(): Page {
  return {
    title: 'Search',
    place: 'search',
    body: html`<h1>Search</h1><p class="empty">Enter a title, a tag or a developer’s name in the search field at the top, or see the <a href="/">newest games</a>.</p>`,
  };
}

/** The developers of the found games: those in the search result, and the others by one API call each. */
async function namesOf(
  api: Visit['api'],
  games: readonly { developer_uid: string }[],
  developers: Awaited<ReturnType<typeof api.call<'search'>>>['developers'],
) {
  const known = new Map(developers.map((developer) => [developer.uid, developer]));
  const missing = new Set(games.map((game) => game.developer_uid).filter((uid) => !known.has(uid)));
  const asked = await Promise.all(
    [...missing].map((uid) => api.call('user', { params: { uid } }).catch(() => null)),
  );
  return [...known.values(), ...asked.filter((user) => user !== null)];
}
