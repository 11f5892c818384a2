// Whether the recorded game drew something, and its errors and missing files.
import type { StartState } from '@svc/recorder';
import type { Documents } from '../../documents.ts';
import { formatCount, formatDuration, safeLine } from '../../output/text.ts';
import type { Target } from './open-target.ts';

export type StartReport = Pick<Documents['record'], 'first_frame_ms' | 'warnings'>;

/** The most warnings that are printed. */
const PRINTED = 5;

/** The faults that are reported. Others are faults only of a published page. */
const REPORTED: ReadonlySet<string> = new Set([
  'missing_file',
  'uncaught_error',
  'blocked_request',
  'isolation',
]);

/** The address below which files belong to the game: that of the build, otherwise the site. */
export function gameAddress({ base, url }: Pick<Target, 'base' | 'url'>): string {
  return base ?? `${new URL(url).origin}/`;
}

export function reportStart({ first_frame_ms, faults, warnings }: StartState): StartReport {
  return {
    first_frame_ms: first_frame_ms === null ? null : Math.round(first_frame_ms),
    warnings: [...faults, ...warnings].filter(({ rule }) => REPORTED.has(rule)),
  };
}

/** Prints the first warnings. Missing files of a build were printed when the game requested them. */
export function printWarnings(
  { warnings }: StartReport,
  isBuild: boolean,
  warn: (text: string) => void,
): void {
  const shown = warnings.filter(({ rule }) => !isBuild || rule !== 'missing_file');
  for (const warning of shown.slice(0, PRINTED)) warn(warningText(warning));
  const more = shown.length - PRINTED;
  if (more > 0) warn(`${formatCount(more)} more warnings are not shown. --json lists them.`);
}

function warningText({ rule, path, message }: StartReport['warnings'][number]): string {
  return safeLine(rule === 'uncaught_error' && path !== null ? `${path}: ${message}` : message);
}

/** The lines for a game that drew nothing, with the next step. `build` is its path, or null for a URL. */
export function nothingDrawn(duration_ms: number, build: string | null): string[] {
  return [
    `Recorded ${formatDuration(duration_ms)}, but the game drew nothing.`,
    build === null
      ? 'Record for longer, or read the console of the page in a browser.'
      : `To test whether it starts: svc check --run ${safeLine(build)}`,
  ];
}
