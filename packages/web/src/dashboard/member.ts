// Who may see the dashboard: somebody signed in, with a session that the API takes, and a client in their name.
import type { Account, PlatformClient } from '@svc/contracts/platform';
import type { Answer, Handler } from '../routes/route.ts';
import type { Session } from '../session/session.ts';
import { keepSession } from '../session/session-cookie.ts';
import { clientFor, SignInNeeded, type Visit } from '../visit/visit.ts';
import { becomeDeveloperPage } from './become-developer-page.ts';

/** Uploads may take as long as a slow line needs. */
export const UPLOAD_MS = 60 * 60_000;

/** How long the API takes in a picture of a user, which it accepts only with an ID token that is still valid then. */
export const PICTURE_MS = 2 * 60_000;

/** A visit of somebody signed in. */
export type MemberVisit = Visit & {
  readonly session: Session;
  /** The API in their name. */
  readonly own: PlatformClient;
  /** The same, with the patience that an upload needs. */
  readonly patient: PlatformClient;
};

/** A visit of a developer. */
export type DeveloperVisit = MemberVisit & { readonly account: Account };

/**
 * A handler for people who are signed in; others are asked to sign in. The session is renewed where it must be, also
 * where it ends within the milliseconds that the handler needs it for.
 */
export function asMember(
  handler: (visit: MemberVisit) => Promise<Answer>,
  neededMs?: number,
): Handler {
  return async (visit) => handler(await openMember(visit, neededMs));
}

/** A handler for developers; players are outcome how to become one. */
export function asDeveloper(handler: (visit: DeveloperVisit) => Promise<Answer>): Handler {
  return asMember(async (visit) => {
    const { user } = await visit.own.call('me', {});
    return user.role === 'developer'
      ? handler({ ...visit, account: user })
      : becomeDeveloperPage(user, null);
  });
}

async function openMember(visit: Visit, neededMs?: number): Promise<MemberVisit> {
  const { web, request, reply } = visit;
  const session = visit.session === null ? null : await web.renewal(visit.session, neededMs);
  if (session === null) throw new SignInNeeded();
  if (session !== visit.session) await keepSession(web.cookies, reply, session);
  return {
    ...visit,
    session,
    own: clientFor(web, request, session.idToken, web.apiTimeoutMs),
    patient: clientFor(web, request, session.idToken, UPLOAD_MS),
  };
}
