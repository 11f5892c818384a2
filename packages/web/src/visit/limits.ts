// The limits that the API reports, for forms and hints, and the origin of its media, for the content security policy.
// They are cached for a minute, because an operator can change them.
import { PLATFORM_LIMITS, type PlatformLimits } from '@svc/contracts/platform';
import { createApi } from '../api/send-to-api.ts';

const CACHE_MS = 60_000;

/** Returns the limits of the API. Limits that it does not report have the contract's defaults, or state what older APIs do. */
export type AskLimits = () => Promise<PlatformLimits>;
/**
 * Returns the origin of images, trailers and avatars: the API's own origin if the API reports none, and the last known
 * one if the API fails.
 */
export type AskMediaOrigin = () => Promise<string>;

type ApiFacts = { readonly limits: PlatformLimits; readonly mediaOrigin: string };

/** Reads both from the API at `apiUrl`, at most once a minute. `limits` throws the error of a failed API call. */
export function createLimits(
  apiUrl: string,
  timeoutMs: number,
  now: () => number,
): { limits: AskLimits; mediaOrigin: AskMediaOrigin } {
  let known: { facts: Promise<ApiFacts>; until: number } | null = null;
  let lastOrigin = new URL(apiUrl).origin;
  const ask = (): Promise<ApiFacts> => {
    if (known !== null && now() < known.until) return known.facts;
    const entry = { facts: askApi(apiUrl, timeoutMs), until: now() + CACHE_MS };
    known = entry;
    entry.facts.then(
      ({ mediaOrigin }) => {
        lastOrigin = mediaOrigin;
      },
      () => {
        if (known === entry) known = null;
      },
    );
    return entry.facts;
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

async function askApi(apiUrl: string, timeoutMs: number): Promise<ApiFacts> {
  const { limits, media_origin } = await createApi(apiUrl, timeoutMs).call('limits', {});
  return {
    // An older API deletes games at once.
    limits: { ...PLATFORM_LIMITS, deleted_game_days: 0, ...limits },
    mediaOrigin: new URL(media_origin ?? apiUrl).origin,
  };
}
