// The releases of a game with their notes, newest first.
import { sharedImage } from '../games/cover.ts';
import { pager } from '../games/game-grid.ts';
import { releaseEntry } from '../games/game-view.ts';
import { html } from '../html/html.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, type Visit } from '../visit/visit.ts';
import { movedGame } from './moved-game.ts';

export async function releasesPage(visit: Visit): Promise<Answer> {
  const params = { slug: pathParam(visit, 'slug') };
  const cursor = visit.url.searchParams.get('cursor') || null;
  const query = { limit: '50', ...(cursor === null ? {} : { cursor }) };
  const [{ game }, { releases, next_cursor }] = await Promise.all([
    visit.api.call('game', { params }),
    visit.api.call('gameReleases', { params, query }),
  ]);
  const moved = movedGame(visit, game);
  if (moved !== null) return moved;
  const path = `/games/${game.slug}/releases`;
  return {
    title: `Releases of ${game.title}`,
    about: {
      description: `Every release of ${game.title} with its notes.`,
      path,
      image: sharedImage(game.cover_url, game.cover_variants),
    },
    feed: { base: path, title: `Releases of ${game.title}` },
    body: html`<p class="crumbs"><a href="/games/${game.slug}">${game.title}</a></p><h1>Releases</h1>
<ol class="releases">${releases.map((release) => releaseEntry(release, true))}</ol>
${pager(path, cursor, next_cursor, 'releases')}`,
  };
}
