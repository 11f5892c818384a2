// Writes `.vpt` lines. The same record gives the same bytes: keys in the order the object has them, no spaces, one LF.
import { T_DECIMALS } from '../format/limits.ts';
import type { Header, KnownRecord, TraceRecord } from '../format/records.ts';

const T_FACTOR = 10 ** T_DECIMALS;

/** The first line, with its LF. */
export function formatHeader(header: Header): string {
  return `${JSON.stringify(header)}\n`;
}

/** One record as a line, with its LF. `t` is rounded to three decimals; absent values must be absent, not `undefined` or NaN. */
export function formatRecord(record: TraceRecord): string {
  if (record.type === 'unknown') return `${JSON.stringify(record.fields)}\n`;
  const timed: KnownRecord = { ...record, t: roundMs(record.t) };
  return `${JSON.stringify(timed)}\n`;
}

/** Milliseconds with three decimals, the finest the format keeps. Never −0. */
export function roundMs(ms: number): number {
  return Math.round(ms * T_FACTOR) / T_FACTOR + 0;
}
