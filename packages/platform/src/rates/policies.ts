// The limits on how often something may be done, each with what it counts and for whom.
import type { PlatformLimits } from '@svc/contracts/platform';

/** Limits of requests in a minute, each with whom it counts for. */
const OF_REQUESTS = {
  failures: 'address',
  sessions: 'address',
  logouts: 'address',
  reports: 'address',
  searches: 'address',
  writes: 'user',
  parts: 'user',
} as const satisfies Readonly<Record<string, Scope>>;
type RequestLimit = keyof typeof OF_REQUESTS;

type DailyLimit = Extract<keyof PlatformLimits, `daily_${string}`>;

/** The name of a limit in metrics and header fields. Names of daily limits are those of `PLATFORM_LIMITS`. */
export type LimitName = RequestLimit | DailyLimit;

/** Whom a limit counts for: the user, the address that the request came from, or its network. */
type Scope = 'user' | 'address' | 'network';

/** What the daily limits count. */
export type Daily = DailyLimit extends `daily_${infer What}_per_${Scope}` ? What : never;

/** A limit with its value: `quota` units within `seconds`. `unit` is the one of its header field; requests have none. */
export type Policy = {
  readonly name: LimitName;
  readonly scope: Scope;
  readonly quota: number;
  readonly seconds: number;
  readonly unit: 'content-bytes' | null;
};

const MINUTE = 60;
const DAY = 24 * 3600;
const SCOPES: readonly Scope[] = ['user', 'address', 'network'];

/** The policies of a server, by name. */
export type Policies = Readonly<Record<LimitName, Policy>>;

/** Returns the policies with the values of these limits. */
export function policiesOf(limits: PlatformLimits): Policies {
  const ofRequests = Object.entries(OF_REQUESTS).map(([key, scope]): Policy => {
    const name = key as RequestLimit;
    return { name, scope, quota: limits[`rate_${name}_per_minute`], seconds: MINUTE, unit: null };
  });
  const daily = Object.keys(limits)
    .filter(isDaily)
    .map((name): Policy => {
      const scope = SCOPES.find((one) => name.endsWith(`_per_${one}`)) ?? 'user';
      const unit = name.includes('_bytes_') ? 'content-bytes' : null;
      return { name, scope, quota: limits[name], seconds: DAY, unit };
    });
  const all = [...ofRequests, ...daily].map((policy) => [policy.name, policy]);
  return Object.fromEntries(all) as Policies;
}

/** Returns the names of the limits that count this each day. */
export function dailyLimits(policies: Policies, what: Daily): LimitName[] {
  return SCOPES.map((scope) => `daily_${what}_per_${scope}`).filter((name): name is DailyLimit =>
    Object.hasOwn(policies, name),
  );
}

function isDaily(name: string): name is DailyLimit {
  return name.startsWith('daily_');
}
