// The dashboard of a game with a fake API: a live release, a staged one and its link.
import type { TestContext } from 'node:test';
import type { Game, Preview, Publisher, Release } from '@svc/contracts/platform';
import {
  ADA,
  gameOf,
  openStandIn,
  pageOf,
  previewOf,
  releaseOf,
  type StandInSite,
} from './stand-in-api.ts';

/** The page of the game, and its path in the API. */
export const AT = '/dashboard/games/moon-id';
export const API = '/projects/moon-id';
export const STAGED = releaseOf({ version: '2.0.0', live: false, staged: true });

export type Shown = {
  readonly game?: Partial<Game>;
  readonly releases?: readonly Release[];
  /** Null with an older API. */
  readonly formerSlugs?: readonly string[] | null;
  readonly previews?: readonly Preview[];
  readonly publishers?: readonly Publisher[];
  readonly session?: Parameters<StandInSite['cookie']>[0];
};

export type Desk = StandInSite & {
  open(path: string): Promise<string>;
  post(
    path: string,
    form: Record<string, string> | FormData,
    headers?: Record<string, string>,
  ): Promise<Response>;
};

export async function openDesk(t: TestContext, shown: Shown = {}): Promise<Desk> {
  const site = await openStandIn(t);
  const { answers } = site.api;
  const { releases = [STAGED, releaseOf()], previews = [previewOf()], publishers = [] } = shown;
  answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  const { formerSlugs = [] } = shown;
  answers[`GET ${API}`] = {
    json: {
      ...{ game: gameOf(shown.game), page: pageOf(), isolation: null },
      live_release: releases.find(({ live }) => live) ?? null,
      ...(formerSlugs !== null && { former_slugs: formerSlugs }),
    },
  };
  answers[`GET ${API}/releases`] = { json: { releases, next_cursor: null } };
  answers[`GET ${API}/previews`] = { json: { previews } };
  answers[`GET ${API}/publishers`] = { json: { publishers } };
  const cookie = await site.cookie(shown.session);
  return {
    ...site,
    open: (path) => site.read(path, { headers: { cookie } }),
    post: (path, form, headers) => site.send(path, form, { cookie, ...headers }),
  };
}

/** The requests that change something: their routes, queries and bodies. */
export const changes = ({ api }: StandInSite) =>
  api.asked
    .filter(({ route }) => !route.startsWith('GET '))
    .map(({ route, query, body }) => [route, query, body]);
