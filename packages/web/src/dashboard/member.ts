// Restricts handlers to signed-in users, to developers or to administrators, and gives them API clients with the user's ID token.
import { type Account, type PlatformClient, PlatformError } from '@svc/contracts/platform';
import { failure } from '../failure.ts';
import type { Answer, Handler } from '../routes/route.ts';
import type { Session } from '../session/session.ts';
import { dropSession, keepSession } from '../session/session-cookie.ts';
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
    return user.role === 'player'
      ? becomeDeveloperPage(user, null)
      : handler({ ...visit, account: user });
  });
}

/** Restricts a handler to administrators. The API rejects the calls of others too. */
export function asAdmin(handler: (visit: DeveloperVisit) => Promise<Answer>): Handler {
  return asMember(async (visit) => {
    const { user } = await visit.memberApi.call('me', {});
    if (user.role !== 'admin') throw failure('admin_required', 'This page is for administrators');
    return handler({ ...visit, account: user });
  });
}

async function openMember(visit: Visit, neededMs?: number): Promise<MemberVisit> {
  const { web, request } = visit;
  const session = visit.session === null ? null : await web.renewal(visit.session, neededMs);
  if (session === null) throw new SignInNeededError();
  const memberApi = clientFor(web, request, session.idToken, visit.patience);
  if (session !== visit.session || !session.isChecked)
    await checkRenewed(visit, session, memberApi);
  return {
    ...visit,
    session,
    memberApi,
    uploadApi: clientFor(web, request, session.idToken, () => AbortSignal.timeout(UPLOAD_MS)),
  };
}

/**
 * Stores a renewed session, unless an administrator has ended it: then the user must sign in. The API rejects the ID tokens that were
 * issued before that, but a renewed one is newer. If the API does not answer, the session is checked with the next request.
 */
async function checkRenewed(
  { web, reply }: Visit,
  session: Session,
  api: PlatformClient,
): Promise<void> {
  const { user } = await api.call('me', {}).catch(async (error: unknown) => {
    const isRejected = error instanceof PlatformError && error.status === 401;
    if (isRejected) dropSession(web.cookies, reply);
    else await keepSession(web.cookies, reply, { ...session, isChecked: false });
    throw error;
  });
  const endedAt = user.sessions_ended_at ?? null;
  if (endedAt !== null && session.signedInAt <= Date.parse(endedAt)) {
    dropSession(web.cookies, reply);
    throw new SignInNeededError();
  }
  await keepSession(web.cookies, reply, { ...session, isChecked: true });
}
