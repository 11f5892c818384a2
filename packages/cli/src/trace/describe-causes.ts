// The causes of a hitch as a part of documents.
import { type BoundHitch, causeText, hitchCauses, type Moment, mainCauses } from '@svc/trace';
import type { Documents } from '../documents.ts';

export type DescribedCauses = Documents['trace-hitches']['hitches'][number]['causes'];

/** `moment` is that of the hitch. */
export function describeCauses(hitch: BoundHitch, moment: Moment): DescribedCauses {
  return hitchCauses(hitch, moment).map((cause) => ({
    kind: cause.kind,
    name: cause.name,
    phase: cause.asset?.phase ?? null,
    ms: cause.ms,
    text: causeText(cause),
  }));
}

/** The causes that {@link mainCauses} selects, as clauses. Empty without causes. */
export function causeClauses(causes: DescribedCauses, duration_ms: number): string[] {
  return mainCauses(causes, duration_ms).map(({ text }) => text);
}
