// The log of a server's program on standard error.
import { isatty } from 'node:tty';
import { openLog, type ProcessLog } from './log/open-log.ts';
import type { ObserveSettings } from './settings.ts';

const STANDARD_ERROR = 2;

/** Opens the log as the settings say: by default text on a terminal, else JSON lines. */
export function openServerLog({ logLevel: level, logFormat }: ObserveSettings): ProcessLog {
  const format = logFormat ?? (isatty(STANDARD_ERROR) ? 'text' : 'json');
  return openLog({ level, format, descriptor: STANDARD_ERROR });
}
