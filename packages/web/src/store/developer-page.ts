// The public page of a developer: name, avatar and published games.

import { sharedImage } from '../games/cover.ts';
import { gameGrid, pager } from '../games/game-grid.ts';
import { avatarImage, formatDay } from '../html/format.ts';
import { html } from '../html/html.ts';
import type { Page } from '../page/page.ts';
import { pathParam, type Visit } from '../visit/visit.ts';

export async function developerPage(visit: Visit): Promise<Page> {
  const uid = pathParam(visit, 'uid');
  const cursor = visit.url.searchParams.get('cursor') || null;
  const { developer, games, next_cursor } = await visit.api.call('developer', {
    params: { uid },
    query: { limit: '24', ...(cursor === null ? {} : { cursor }) },
  });
  const path = `/devs/${developer.uid}`;
  return {
    title: developer.name,
    about: {
      description: `Games by ${developer.name} on ${visit.web.name}.`,
      path,
      image: sharedImage(games[0]?.cover_url, games[0]?.cover_variants),
      structured: {
        '@context': 'https://schema.org',
        '@type': 'ProfilePage',
        mainEntity: { '@type': 'Person', name: developer.name, url: visit.web.origin + path },
      },
    },
    body: html`<header class="person">${avatarImage(developer, 72)}<div><h1>${developer.name}</h1><p class="quiet-text">Member since ${formatDay(developer.created_at)}</p></div></header>
<section aria-labelledby="games"><h2 id="games">Games</h2>
${games.length === 0 ? html`<p class="empty">No published games.</p>` : gameGrid(games, [])}</section>
${pager(path, cursor, next_cursor)}`,
  };
}
