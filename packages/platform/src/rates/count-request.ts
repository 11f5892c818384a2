// Counts one request towards its limits: for its user, its address and its network. The answer's header fields show the limits.
import { formatNumber } from '@svc/contracts/faults';
import { failure } from '../failure.ts';
import { type ByteCount, countBytes } from './count-bytes.ts';
import { addressOf, networkOf } from './network-of.ts';
import { type Daily, dailyLimits, type LimitName, type Policy } from './policies.ts';
import type { LimitState, LimitUse, RateLimits } from './rate-limits.ts';

/** Every use of a limit throws `rate_limited`, with `Retry-After`, if too little is left. Then nothing is counted. */
export type RequestCount = {
  /** Sets the user. Without one, nothing counts for users. */
  identify(uid: string): void;
  /** Counts the request. Also throws if fewer bytes are left for uploads today than `bytes`. These are not counted, but the request is. */
  take(limit: LimitName, bytes?: number): Promise<void>;
  /** Counts what the work does, and gives it back if the work fails. */
  daily<Result>(what: Daily, work: () => Promise<Result>): Promise<Result>;
  /** Counts bytes of an upload. */
  takeBytes(bytes: number): Promise<void>;
  /** Counts an upload and the bytes that it declares. */
  openUpload(declaredBytes: number): Promise<ByteCount>;
};

/** A use, and the state of its limit after it. */
type Use = LimitUse & { readonly state: LimitState };

const MINUTE = 60;
const HOUR = 3600;
const NAMES: Readonly<Record<Daily, string>> = {
  sign_ups: 'new accounts',
  reports: 'reports',
  projects: 'new projects',
  uploads: 'uploads',
  upload_bytes: 'uploaded bytes',
};
const SCOPES: Readonly<Record<Policy['scope'], string>> = {
  user: 'of this account',
  address: 'from this address',
  network: 'from this network',
};

/** Creates the count of a request from this address. `setHeaders` receives the header fields after each use. */
export function countRequest(
  rates: RateLimits | null,
  ip: string,
  setHeaders: (fields: Readonly<Record<string, string>>) => void,
): RequestCount {
  if (rates === null) return UNLIMITED;
  const { policies } = rates;
  const who = { user: '', address: addressOf(ip), network: networkOf(ip) };
  const states = new Map<LimitName, LimitState>();
  const usesOf = (what: Daily, units: number): LimitUse[] =>
    dailyLimits(policies, what)
      .map((limit) => ({ limit, units, who: who[policies[limit].scope] }))
      .filter((use) => use.who !== '');
  const use = async (wanted: readonly LimitUse[]): Promise<void> => {
    const found = await rates.use(wanted);
    const uses = wanted.flatMap((one, index) => {
      const state = found[index];
      return state === undefined ? [] : [{ ...one, state }];
    });
    for (const { limit, state } of uses) states.set(limit, state);
    setHeaders(fieldsOf([...states.values()]));
    const over = uses.filter(({ state }) => !state.fits);
    if (over.length > 0) throw rejection(over);
  };
  const takeBytes = (bytes: number): Promise<void> => use(usesOf('upload_bytes', bytes));
  return {
    identify(uid) {
      who.user = uid;
    },
    async take(limit, bytes = 0) {
      const request = { limit, units: 1, who: who[policies[limit].scope] };
      const ofBytes = bytes === 0 ? [] : usesOf('upload_bytes', 0);
      await use([request, ...ofBytes.map((one) => ({ ...one, needed: bytes }))]);
    },
    async daily(what, work) {
      const uses = usesOf(what, 1);
      await use(uses);
      try {
        return await work();
      } catch (error) {
        await rates.giveBack(uses);
        throw error;
      }
    },
    takeBytes,
    async openUpload(declaredBytes) {
      await use([...usesOf('uploads', 1), ...usesOf('upload_bytes', declaredBytes)]);
      return countBytes(declaredBytes, takeBytes, (bytes) =>
        rates.giveBack(usesOf('upload_bytes', bytes)),
      );
    },
  };
}

const UNLIMITED: RequestCount = {
  identify() {},
  async take() {},
  daily: (_what, work) => work(),
  async takeBytes() {},
  openUpload: async () => ({
    add() {},
    async end() {},
    async [Symbol.asyncDispose]() {},
  }),
};

/** The header fields of draft-ietf-httpapi-ratelimit-headers: one entry for each limit. */
function fieldsOf(states: readonly LimitState[]): Readonly<Record<string, string>> {
  const policies = states.map(({ policy: { name, quota, seconds, unit } }) => {
    const ofUnit = unit === null ? '' : `;qu="${unit}"`;
    return `"${name}";q=${quota};w=${seconds}${ofUnit}`;
  });
  const left = states.map(
    ({ policy, remaining, seconds }) => `"${policy.name}";r=${remaining};t=${seconds}`,
  );
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}

/** The error for uses that were rejected. It describes the one with the longest wait. */
function rejection(over: readonly Use[]): Error {
  const seconds = Math.max(1, ...over.map(({ state }) => state.seconds));
  const longest = over.find(({ state }) => state.seconds === seconds) ?? over[0];
  const message = longest === undefined ? 'Too many requests' : describe(longest);
  return failure('rate_limited', `${message}. Wait ${formatWait(seconds)}`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

function describe({ limit, state: { policy } }: Use): string {
  const what = /^daily_(.*)_per_/.exec(limit)?.[1];
  if (what === undefined) return 'Too many requests';
  const name = NAMES[what as Daily];
  return `Too many ${name} ${SCOPES[policy.scope]} in a day. Allowed: ${formatNumber(policy.quota)}`;
}

/** A time in seconds, minutes or hours, rounded up. */
function formatWait(seconds: number): string {
  if (seconds <= 2 * MINUTE) return `${seconds} s`;
  return seconds <= 2 * HOUR
    ? `${Math.ceil(seconds / MINUTE)} min`
    : `${Math.ceil(seconds / HOUR)} h`;
}
