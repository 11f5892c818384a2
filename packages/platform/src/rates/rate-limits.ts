// Limits how often something may be done: takes units from the buckets of the limits, and describes the limits for the answer.
import { createHmac } from 'node:crypto';
import type { PlatformLimits } from '@svc/contracts/platform';
import type { Buckets, Level, Share } from './buckets.ts';
import { type LimitName, type Policies, type Policy, policiesOf } from './policies.ts';

/** A use of a limit: how many units of it, and the user, address or network that it counts for. */
export type LimitUse = {
  readonly limit: LimitName;
  readonly who: string;
  readonly units: number;
  /** Units that must be left, but are not used. */
  readonly needed?: number;
};

/** A limit after a use of it. */
export type LimitState = {
  readonly policy: Policy;
  /** Whether the units were left. */
  readonly fits: boolean;
  readonly remaining: number;
  /** Whole seconds until a rejected use would be accepted, or else until more units remain. 0: all remain. */
  readonly seconds: number;
};

export type RateLimits = {
  readonly policies: Policies;
  /**
   * Uses limits: all of them, or none if one of them has too few units left. Returns their states in the same order. A use of no
   * units only asks for the state.
   */
  use(uses: readonly LimitUse[]): Promise<LimitState[]>;
  giveBack(uses: readonly LimitUse[]): Promise<void>;
};

type RateOptions = {
  readonly limits: PlatformLimits;
  readonly buckets: Buckets;
  /** The key of the hashes that name the buckets, so that no address is stored. */
  readonly hashKey: Buffer;
  /** Called for each limit that rejects a use. */
  readonly onRejected: (limit: LimitName) => void;
};

const SECOND_US = 1_000_000;

export function createRateLimits({
  limits,
  buckets,
  hashKey,
  onRejected,
}: RateOptions): RateLimits {
  const policies = policiesOf(limits);
  const shareOf = ({ limit, who, units }: LimitUse): Share => {
    const { quota, seconds } = policies[limit];
    const period = seconds * SECOND_US;
    const key = createHmac('sha256', hashKey).update(`rate limit ${limit} ${who}`).digest('base64');
    // More than all units never fit, however many they are.
    return { key, period, cost: Math.min(period + 1, Math.floor((units * period) / quota)) };
  };
  return {
    policies,
    async use(uses) {
      const shares = uses.map(shareOf);
      const levels = await buckets.take(shares);
      return uses.flatMap(({ limit, needed = 0 }, index) => {
        const [share, level] = [shares[index], levels[index]];
        if (share === undefined || level === undefined) return [];
        const state = withNeeded(stateOf(policies[limit], share, level), needed);
        if (!state.fits) onRejected(limit);
        return [state];
      });
    },
    giveBack: (uses) => buckets.giveBack(uses.map(shareOf)),
  };
}

/** The state of a limit whose bucket has this level. */
function stateOf(policy: Policy, { cost, period }: Share, { untilFull, fits }: Level): LimitState {
  const { quota, seconds } = policy;
  const remaining = Math.floor(((period - untilFull) * quota) / period);
  // For a share that never fits, the longest time.
  const wait = cost > period ? period : untilFull + cost - period;
  const untilMore = untilFull - period + ((remaining + 1) * period) / quota;
  const left = untilFull === 0 ? 0 : untilMore;
  return {
    ...{ policy, fits, remaining },
    seconds: Math.min(seconds, Math.ceil((fits ? left : wait) / SECOND_US)),
  };
}

/** The state of a limit of which this many units must be left. */
function withNeeded(state: LimitState, needed: number): LimitState {
  const { policy, remaining } = state;
  if (needed <= remaining) return state;
  const wait = Math.ceil(((needed - remaining) * policy.seconds) / policy.quota);
  return { ...state, fits: false, seconds: Math.min(policy.seconds, wait) };
}
