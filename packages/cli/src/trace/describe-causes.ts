// The causes of a hitch as a part of documents.
import {
  type BoundHitch,
  causeText,
  frameBoundText,
  framePartsText,
  type HitchCause,
  hitchCauses,
  type Moment,
  mainCauses,
  type TraceBounds,
} from '@svc/trace';
import type { Documents } from '../documents.ts';

export type DescribedCauses = Documents['trace-hitches']['hitches'][number]['causes'];

/** `moment` is that of the hitch. */
export function describeCauses(hitch: BoundHitch, moment: Moment): DescribedCauses {
  return toDocument(hitchCauses(hitch, moment));
}

export function toDocument(causes: readonly HitchCause[]): DescribedCauses {
  return causes.map((cause) => ({
    kind: cause.kind,
    name: cause.name,
    phase: cause.asset?.phase ?? null,
    ms: cause.ms,
    text: causeText(cause),
  }));
}

/** The causes that {@link mainCauses} selects, as clauses. Empty without causes. */
export function causeClauses(
  causes: readonly Pick<DescribedCauses[number], 'ms' | 'text'>[],
  duration_ms: number,
): string[] {
  return mainCauses(causes, duration_ms).map(({ text }) => text);
}

/** What bounds the frame, and the other parts of its time, in sentences. */
export function explainBound(hitch: BoundHitch, gpu: TraceBounds['gpu']): string {
  const parts = framePartsText(hitch);
  return `${frameBoundText(hitch, gpu)}${parts === '' ? '' : ` Also: ${parts}.`}`;
}
