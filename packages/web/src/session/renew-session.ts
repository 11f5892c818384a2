// Renews the ID token of a session, once for concurrent requests with the same refresh token.
import type { IdentityProvider, ProviderTokens } from './identity-provider.ts';
import { fingerprint } from './sealed-cookies.ts';
import type { Session } from './session.ts';

/** Default time for which an ID token must be valid before it is used. */
const MARGIN_MS = 60_000;
/** How long the result for a used refresh token is kept, for requests that still send it. */
const MEMORY_MS = 60_000;

/**
 * Returns a session whose ID token is valid for at least `neededMs` milliseconds (default: a minute), or null if the
 * user must sign in again.
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
