// The time at which a record ends.
import type { TraceRecord } from './records.ts';

/** `t` plus the duration of the record, in ms. 0 for a note. */
export function endOfRecord(record: TraceRecord): number {
  switch (record.type) {
    case 'frames':
      return endOfFrames(record.duration_ms, record.t);
    case 'longtask':
    case 'span':
      return record.t + record.duration_ms;
    case 'asset':
    case 'stacks':
    case 'loss':
      return record.t + (record.duration_ms ?? 0);
    // A note is no measurement, so it does not lengthen the trace.
    case 'note':
      return 0;
    case 'process':
    case 'release':
    case 'mark':
    case 'counter':
    case 'log':
    case 'end':
    case 'unknown':
      return record.t;
  }
}

function endOfFrames(durations: readonly number[], start: number): number {
  let end = start;
  for (let i = 0; i < durations.length; i++) end += durations[i] ?? 0;
  return end;
}
