// The limits that the API runs with, as forms and hints tell them: asked for once a minute, because an operator may change them.
import {
  createPlatformClient,
  PLATFORM_LIMITS,
  type PlatformLimits,
} from '@svc/contracts/platform';

const FRESH_MS = 60_000;

/** The limits as the API tells them; those it does not name have the contract's default. */
export type AskLimits = () => Promise<PlatformLimits>;

/** Asks the API at `apiUrl`, once for all who ask within a minute. Throws what a call of the API throws. */
export function createLimits(apiUrl: string, timeoutMs: number, now: () => number): AskLimits {
  let known: { limits: Promise<PlatformLimits>; until: number } | null = null;
  return () => {
    if (known !== null && now() < known.until) return known.limits;
    const entry = { limits: askLimits(apiUrl, timeoutMs), until: now() + FRESH_MS };
    known = entry;
    entry.limits.catch(() => {
      if (known === entry) known = null;
    });
    return entry.limits;
  };
}

async function askLimits(apiUrl: string, timeoutMs: number): Promise<PlatformLimits> {
  const api = createPlatformClient({
    baseUrl: apiUrl,
    send: (address, init) => fetch(address, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
  });
  const { limits } = await api.call('limits', {});
  return { ...PLATFORM_LIMITS, ...limits };
}
