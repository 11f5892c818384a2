// What the owner of a game sees if the operator has taken it, or its live release, down: when, why, and what to do.
import type { Game, Release } from '@svc/contracts/platform';
import { formatDay } from '../html/format.ts';
import { html, type Shown } from '../html/html.ts';

/** The notice; null if nothing is taken down that players would get. */
export function takenDownNotice(game: Game, live: Release | null): Shown {
  const down = game.taken_down ?? live?.taken_down ?? null;
  if (down === null) return null;
  const isGame = game.taken_down != null;
  const what = isGame ? 'this game' : `version ${live?.version}`;
  const next = isGame
    ? 'Players can’t see it, and preview links do not work. Correct what is wrong, stage a new release, and ask the operator to restore the game.'
    : 'Players can’t see the game until you publish another version, or make an earlier one live below.';
  return html`<div class="notice bad" role="alert"><p><strong>The operator of this store took ${what} down</strong> on ${formatDay(down.at)}${down.reason === null ? '.' : html`: ${down.reason}`}</p><p>${next}</p></div>`;
}
