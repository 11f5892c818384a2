// The error for a platform that does not have what a command needs.
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Platform } from './connect.ts';

/** `what` is what the platform does not have, such as "staged releases". */
export function outdatedError({ api }: Pick<Platform, 'api'>, what: string): ExitError {
  return new ExitError(
    EXIT.server,
    'platform_outdated',
    `The platform at ${api} is too old for ${what}.`,
    { hint: 'Ask its operator to update it.' },
  );
}
