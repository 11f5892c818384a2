// Checks whether the platform has what a command needs. Older platforms do not state the limits of features that they lack.
import type { CallAnswer } from '@svc/contracts/platform';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Platform } from './connect.ts';

/** The limits that a platform states. Older ones do not state all of them. */
export type StatedLimits = CallAnswer<'limits'>['limits'];

/** For each limit that shows whether the platform has a feature: the name of the feature in messages. */
const FEATURES = {
  former_slugs_per_project: 'svc slug',
  previews_per_project: 'staged releases and preview links',
  publishers_per_project: 'trusted publishers',
  stats_days: 'svc stats',
} as const satisfies { readonly [Name in keyof StatedLimits]?: string };

/**
 * Returns the limit of the feature. Throws an ExitError if the platform does not have the feature. Asks for the limits unless they are
 * given.
 */
export async function requireFeature(
  platform: Pick<Platform, 'api' | 'call'>,
  name: keyof typeof FEATURES,
  stated?: StatedLimits,
): Promise<number> {
  const limits = stated ?? (await platform.call('limits', {})).limits;
  const limit = limits[name];
  if (limit !== undefined) return limit;
  throw new ExitError(
    EXIT.server,
    'platform_outdated',
    `The platform at ${platform.api} is too old for ${FEATURES[name]}.`,
    { hint: 'Ask its operator to update it.' },
  );
}
