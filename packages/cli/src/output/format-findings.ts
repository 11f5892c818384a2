// Formats the warnings about a build.
import type { Finding } from '@svc/game-build';
import type { Paint } from './output.ts';
import { safeText } from './text.ts';

/** Formats warnings with their hints, after an empty line and a heading. Returns no lines if there are none. */
export function formatFindings(
  warnings: readonly Pick<Finding, 'entry' | 'message' | 'hint'>[],
  paint: Paint,
): string[] {
  if (warnings.length === 0) return [];
  const lines = warnings.flatMap(({ entry, message, hint }) => [
    `  ${paint('yellow', '!')} ${entry === null ? '' : `${safeText(entry)}: `}${safeText(message)}`,
    ...(hint === null ? [] : [`    ${paint('dim', safeText(hint))}`]),
  ]);
  return ['', `${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`, ...lines];
}
