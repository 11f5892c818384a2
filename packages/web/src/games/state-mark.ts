// The state of a game as a mark: public, a draft, or taken down.
import type { Game } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';

export function stateMark(game: Pick<Game, 'status' | 'taken_down'>): Html {
  if (game.taken_down != null) return html`<span class="mark bad">taken down</span>`;
  return html`<span class="mark${game.status === 'draft' && ' draft'}">${game.status}</span>`;
}
