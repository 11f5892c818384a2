// The public page of a game.
import { showGame } from '../games/game-view.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, type Visit } from '../visit/visit.ts';
import { movedGame } from './moved-game.ts';

export async function gamePage(visit: Visit): Promise<Answer> {
  const view = await visit.api.call('gamePage', { params: { slug: pathParam(visit, 'slug') } });
  const moved = movedGame(visit, view.game);
  if (moved !== null) return moved;
  checkFrame(view.embed.url, visit.web.origin);
  const isPlaying = visit.url.searchParams.has('play');
  const viewer = visit.session?.uid === view.developer.uid ? 'owner' : 'visitor';
  return showGame(visit, view, { isPlaying, viewer });
}

/** Throws if a game would run on this site's origin, where it could act with the session of its visitors. */
function checkFrame(url: string, origin: string): void {
  if (new URL(url).origin !== new URL(origin).origin) return;
  throw new Error(
    'Cannot show a game: its address is on the origin of the store. Set SVC_PLAY_ORIGIN of the platform to an origin that is used for games only',
  );
}
