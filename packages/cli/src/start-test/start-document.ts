// The result of a start test as a document, as details of an error and as text.
import type { StartTest } from '@svc/recorder';
import type { Documents } from '../documents.ts';
import type { Paint } from '../output/output.ts';
import { formatCount, formatDuration, safeText } from '../output/text.ts';
import type { ErrorDetail } from '../process/exit-codes.ts';

export type StartDocument = NonNullable<Documents['check']['run']>['start'];

export function startDocument(browser: string, test: StartTest): StartDocument {
  const { first_frame_ms, faults, warnings, recorded } = test;
  return {
    browser,
    first_frame_ms: first_frame_ms === null ? null : Math.round(first_frame_ms),
    duration_ms: Math.round(recorded?.duration_ms ?? 0),
    frames: recorded?.frames ?? 0,
    hitches: recorded?.hitches ?? 0,
    faults: faults.map((fault) => ({ ...fault })),
    warnings: warnings.map((fault) => ({ ...fault })),
  };
}

export function startDetails(faults: StartDocument['faults'] | StartTest['faults']): ErrorDetail[] {
  return faults.map(({ rule, path, message, hint }) => ({
    ...{ rule, message },
    ...(path !== null && { path }),
    ...(hint !== null && { hint }),
  }));
}

/** For example `Starts: the first frame after 0.4 s. Recorded 598 frames in 10 s, with 3 hitches.` */
export function formatStart(
  { first_frame_ms, duration_ms, frames, hitches, warnings }: StartDocument,
  paint: Paint,
): string[] {
  const count = hitches === 1 ? '1 hitch' : `${formatCount(hitches)} hitches`;
  const first = first_frame_ms === null ? '' : ` the first frame after ${first_frame_ms} ms.`;
  return [
    `${paint('green', 'Starts:')}${first} Recorded ${formatCount(frames)} frames in ${formatDuration(duration_ms)}, with ${count}.`,
    ...warnings.map(
      ({ path, message }) =>
        `  ${paint('yellow', '!')} ${path === null ? '' : `${safeText(path)}: `}${safeText(message)}`,
    ),
  ];
}
