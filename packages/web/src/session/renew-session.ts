// Renews the ID token of a session, once for concurrent requests with the same refresh token.
import type { ProviderTokens } from './identity-provider.ts';
import type { RefreshGrant } from './identity-providers.ts';
import { issuerOf } from './issuer.ts';
import { fingerprint } from './sealed-cookies.ts';
import type { Session } from './session.ts';

/** Default time for which an ID token must be valid before it is used. */
const MARGIN_MS = 60_000;
/** How long the result for a used refresh token is kept, for requests that still send it. */
const MEMORY_MS = 60_000;

/**
 * Returns a session whose ID token is valid for at least `neededMs` milliseconds (default: a minute), or null if the
 * user must sign in again. If it is not known whether it can be renewed, the session is returned unchanged as long as
 * its ID token is valid. After that, throws the error that prevents the renewal.
 */
export type Renewal = (session: Session, neededMs?: number) => Promise<Session | null>;

/**
 * The new tokens, or null if the user must sign in again. `unknown` means the same, but the current ID token may be used
 * until it expires. Throws if the refresh token was not spent and can be spent later.
 */
export type SpendToken = (grant: RefreshGrant) => Promise<ProviderTokens | 'unknown' | null>;

export function createRenewal(spend: SpendToken, now: () => number): Renewal {
  const running = new Map<string, { until: number; result: ReturnType<SpendToken> }>();
  const refresh = (grant: RefreshGrant): ReturnType<SpendToken> => {
    for (const [key, { until }] of running) if (until < now()) running.delete(key);
    const key = fingerprint(grant.refreshToken);
    const before = running.get(key);
    if (before !== undefined) return before.result;
    const entry = { until: now() + MEMORY_MS, result: spend(grant) };
    running.set(key, entry);
    entry.result.catch(() => {
      if (running.get(key) === entry) running.delete(key);
    });
    return entry.result;
  };
  return async (session, neededMs = MARGIN_MS) => {
    if (session.expiresAt - neededMs > now()) return session;
    const { idToken, refreshToken } = session;
    if (refreshToken === null) return null;
    const isValid = (): boolean => session.expiresAt > now();
    const grant = { issuer: issuerOf(idToken), refreshToken };
    const result = await refresh(grant).catch((error: unknown) => {
      if (isValid()) return 'unknown' as const;
      throw error;
    });
    if (result === 'unknown') return isValid() ? session : null;
    return result === null ? null : { ...session, ...result };
  };
}
