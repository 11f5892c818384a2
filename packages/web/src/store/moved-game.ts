// Leads visitors from an earlier address of a game to the present one.
import type { Game } from '@svc/contracts/platform';
import type { Redirect } from '../routes/route.ts';
import { pathParam, type Visit } from '../visit/visit.ts';

/** Returns the redirect to the same page below the present address of the game; null if the visitor is there. */
export function movedGame(visit: Visit, { slug }: Pick<Game, 'slug'>): Redirect | null {
  if (pathParam(visit, 'slug') === slug) return null;
  const { url } = visit;
  const [, , , ...rest] = url.pathname.split('/');
  return { to: `${['/games', slug, ...rest].join('/')}${url.search}`, moved: true };
}
