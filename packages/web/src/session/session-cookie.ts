// Reads and writes the session cookie.
import type { FastifyReply } from 'fastify';
import type { SealedCookies } from './sealed-cookies.ts';
import { parseSession, type Session } from './session.ts';

const NAME = 'svc_session';
/** Lifetime of the cookie after its last renewal, in seconds. */
const SECONDS = 30 * 24 * 3600;

/** The session of a request; null if the visitor is not signed in. */
export async function readSession(
  cookies: SealedCookies,
  header: string | undefined,
): Promise<Session | null> {
  return parseSession(await cookies.open(NAME, header));
}

/** Stores the session in the browser. */
export async function keepSession(
  cookies: SealedCookies,
  reply: FastifyReply,
  session: Session,
): Promise<void> {
  reply.header('set-cookie', await cookies.seal(NAME, session, SECONDS));
}

/** Removes the session from the browser. */
export function dropSession(cookies: SealedCookies, reply: FastifyReply): void {
  reply.header('set-cookie', cookies.clear(NAME));
}

/**
 * Whether a `Cookie` header contains a session or sign-in cookie of this site, valid or not. The cookie of the device does not count: no
 * page depends on it.
 */
export function holdsOwnCookie(header: string | undefined): boolean {
  return /(?:^|;)\s*(?:__Host-)?svc_(?!device)/.test(header ?? '');
}
