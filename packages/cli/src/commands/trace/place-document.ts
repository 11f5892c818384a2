// The part of a trace that an option names, as a part of documents.
import type { FoundMoment } from '@svc/trace';
import { roundedMs } from '../../trace/describe-moment.ts';

export function placeOf({ kind, number, from_ms, to_ms }: FoundMoment) {
  return { kind, number, t: roundedMs(from_ms), duration_ms: roundedMs(to_ms - from_ms) };
}
