// What the API reports of itself: its limits, which forms and hints show, and where media come from, for the policy of
// pages. Asked for once a minute, because an operator may change them.
import {
  createPlatformClient,
  PLATFORM_LIMITS,
  type PlatformLimits,
} from '@svc/contracts/platform';

const FRESH_MS = 60_000;

/** The limits as the API tells them; those it does not name have the contract's default. */
export type AskLimits = () => Promise<PlatformLimits>;
/** The origin of images, trailers and avatars; that of the API's own address where the API does not tell or answer. */
export type AskMediaOrigin = () => Promise<string>;

type Told = { readonly limits: PlatformLimits; readonly mediaOrigin: string };

/** Asks the API at `apiUrl`, once for all who ask within a minute. `limits` throws what a call of the API throws. */
export function createLimits(
  apiUrl: string,
  timeoutMs: number,
  now: () => number,
): { limits: AskLimits; mediaOrigin: AskMediaOrigin } {
  let known: { told: Promise<Told>; until: number } | null = null;
  let lastOrigin = new URL(apiUrl).origin;
  const ask = (): Promise<Told> => {
    if (known !== null && now() < known.until) return known.told;
    const entry = { told: askApi(apiUrl, timeoutMs), until: now() + FRESH_MS };
    known = entry;
    entry.told.then(
      ({ mediaOrigin }) => {
        lastOrigin = mediaOrigin;
      },
      () => {
        if (known === entry) known = null;
      },
    );
    return entry.told;
  };
  return {
    limits: async () => (await ask()).limits,
    mediaOrigin: () =>
      ask().then(
        ({ mediaOrigin }) => mediaOrigin,
        () => lastOrigin,
      ),
  };
}

async function askApi(apiUrl: string, timeoutMs: number): Promise<Told> {
  const api = createPlatformClient({
    baseUrl: apiUrl,
    send: (address, init) => fetch(address, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
  });
  const { limits, media_origin } = await api.call('limits', {});
  return {
    limits: { ...PLATFORM_LIMITS, ...limits },
    mediaOrigin: new URL(media_origin ?? apiUrl).origin,
  };
}
