// Restricts handlers to signed-in users or to developers, and gives them API clients with the user's ID token.
import type { Account, PlatformClient } from '@svc/contracts/platform';
import type { Answer, Handler } from '../routes/route.ts';
import type { Session } from '../session/session.ts';
import { keepSession } from '../session/session-cookie.ts';
import { clientFor, SignInNeededError, type Visit } from '../visit/visit.ts';
import { becomeDeveloperPage } from './become-developer-page.ts';

/** Timeout of an upload: long enough for a slow connection. */
export const UPLOAD_MS = 60 * 60_000;

/** How long the API processes an avatar. It rejects the avatar if the ID token expires before the end. */
export const AVATAR_MS = 2 * 60_000;

/** A visit of a signed-in user. */
export type MemberVisit = Visit & {
  readonly session: Session;
  /** A client of the API with the user's ID token. */
  readonly memberApi: PlatformClient;
  /** The same with the timeout of an upload. */
  readonly uploadApi: PlatformClient;
};

/** A visit of a developer. */
export type DeveloperVisit = MemberVisit & { readonly account: Account };

/**
 * Restricts a handler to signed-in users. Other visitors are asked to sign in. The session is renewed if its ID token
 * expires within `neededMs`.
 */
export function asMember(
  handler: (visit: MemberVisit) => Promise<Answer>,
  neededMs?: number,
): Handler {
  return async (visit) => handler(await openMember(visit, neededMs));
}

/** Restricts a handler to developers. Players see the page on which they can become one. */
export function asDeveloper(handler: (visit: DeveloperVisit) => Promise<Answer>): Handler {
  return asMember(async (visit) => {
    const { user } = await visit.memberApi.call('me', {});
    return user.role === 'developer'
      ? handler({ ...visit, account: user })
      : becomeDeveloperPage(user, null);
  });
}

async function openMember(visit: Visit, neededMs?: number): Promise<MemberVisit> {
  const { web, request, reply } = visit;
  const session = visit.session === null ? null : await web.renewal(visit.session, neededMs);
  if (session === null) throw new SignInNeededError();
  if (session !== visit.session) await keepSession(web.cookies, reply, session);
  return {
    ...visit,
    session,
    memberApi: clientFor(web, request, session.idToken, visit.patience),
    uploadApi: clientFor(web, request, session.idToken, () => AbortSignal.timeout(UPLOAD_MS)),
  };
}
