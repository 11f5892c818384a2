// The causes of a hitch as a part of documents.
import { type BoundHitch, causeText, hitchCauses, type Moment } from '@svc/trace';
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

/** The first cause, and the others that took at least a tenth of the hitch, as clauses. Empty without causes. */
export function causeClauses(causes: DescribedCauses, duration_ms: number): string[] {
  return causes
    .filter(({ ms }, index) => index === 0 || ms * 10 >= duration_ms)
    .map(({ text }) => text);
}
