// The session in its cookie.
import type { FastifyReply } from 'fastify';
import type { SealedCookies } from './sealed-cookies.ts';
import { parseSession, type Session } from './session.ts';

const NAME = 'svc_session';
/** A browser forgets a session after this long without a renewal. */
const SECONDS = 30 * 24 * 3600;

/** The session of a request, or null for a stranger. */
export async function readSession(
  cookies: SealedCookies,
  header: string | undefined,
): Promise<Session | null> {
  return parseSession(await cookies.open(NAME, header));
}

/** Gives the browser the session. */
export async function keepSession(
  cookies: SealedCookies,
  reply: FastifyReply,
  session: Session,
): Promise<void> {
  reply.header('set-cookie', await cookies.seal(NAME, session, SECONDS));
}

/** Takes the session from the browser. */
export function dropSession(cookies: SealedCookies, reply: FastifyReply): void {
  reply.header('set-cookie', cookies.clear(NAME));
}

/** Whether a `Cookie` header holds one of this site's, of a session or of a sign-in that was begun, good or not. */
export function holdsOwnCookie(header: string | undefined): boolean {
  return /(?:^|;)\s*(?:__Host-)?svc_/.test(header ?? '');
}
