// Keeps a session usable: a new ID token for the refresh token, once for all requests that ask at the same time.
import type { IdentityProvider, ProviderTokens } from './identity-provider.ts';
import { fingerprint } from './sealed-cookies.ts';
import type { Session } from './session.ts';

/** An ID token this close to its end is renewed before it is used, unless the caller needs it for longer. */
const MARGIN_MS = 60_000;
/** How long the answer for a used-up refresh token is kept, for requests that still carry it. */
const MEMORY_MS = 60_000;

/**
 * The session as the API takes it, or null where only signing in again helps. Its ID token is valid for `neededMs`, in
 * milliseconds; default: a minute.
 */
export type Renewal = (session: Session, neededMs?: number) => Promise<Session | null>;

export function createRenewal(provider: IdentityProvider, now: () => number): Renewal {
  const running = new Map<string, { until: number; tokens: Promise<ProviderTokens | null> }>();
  const refresh = (refreshToken: string): Promise<ProviderTokens | null> => {
    for (const [key, { until }] of running) if (until < now()) running.delete(key);
    const key = fingerprint(refreshToken);
    const before = running.get(key);
    if (before !== undefined) return before.tokens;
    const tokens = provider.refresh(refreshToken).catch(() => null);
    running.set(key, { until: now() + MEMORY_MS, tokens });
    return tokens;
  };
  return async (session, neededMs = MARGIN_MS) => {
    if (session.expiresAt - neededMs > now()) return session;
    const tokens = session.refreshToken === null ? null : await refresh(session.refreshToken);
    return tokens === null ? null : { ...session, ...tokens };
  };
}
