// What a converter skips, in words.
import { pluralText, type TraceFormat } from '@svc/trace';

const EVENTS: ReadonlySet<TraceFormat> = new Set(['cpuprofile', 'chrome']);

/** "1 event" or "3 rows": a number of what a file of another tool consists of. */
export function skippedText(format: TraceFormat, count: number): string {
  return EVENTS.has(format)
    ? pluralText(count, 'event', 'events')
    : pluralText(count, 'row', 'rows');
}
