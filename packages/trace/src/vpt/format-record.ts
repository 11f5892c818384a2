// Writes `.vpt` lines. The same record gives the same bytes: keys in the order of the object, no spaces, one LF.
import { T_DECIMALS } from '../format/limits.ts';
import type { Header, KnownRecord, TraceRecord } from '../format/records.ts';

const T_FACTOR = 10 ** T_DECIMALS;

/** The first line, with its LF. */
export function formatHeader(header: Header): string {
  return `${JSON.stringify(header)}\n`;
}

/** One record as a line, with its LF. An unknown record is written with all its fields. See {@link formatKnownRecord}. */
export function formatRecord(record: TraceRecord): string {
  return record.type === 'unknown'
    ? `${JSON.stringify(record.fields)}\n`
    : formatKnownRecord(record);
}

/** One record as a line, with its LF. `t` is rounded to three decimals. Absent values must be absent keys, not `undefined` or NaN. */
export function formatKnownRecord(record: KnownRecord): string {
  const timed: KnownRecord = { ...record, t: roundMs(record.t) };
  return `${JSON.stringify(timed)}\n`;
}

/** Milliseconds rounded to three decimals, the precision of the format. Never −0. */
export function roundMs(ms: number): number {
  return Math.round(ms * T_FACTOR) / T_FACTOR + 0;
}
