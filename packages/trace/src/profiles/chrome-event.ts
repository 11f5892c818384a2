// One event of a Chrome trace, read from parsed JSON. The trace event format: "Trace Event Format", Google, 2016.
import { LATEST_T_MS } from '../format/limits.ts';
import { countOf, type Fields, fieldsOf, numberOf, textOf } from './json-fields.ts';

/** Times are in µs on the clock of the file. */
export type ChromeEvent = {
  readonly name: string;
  /** The phase: `X` complete, `I` instant, `b` and `e` the ends of an interval, `M` metadata, and others. */
  readonly ph: string;
  readonly cat: string;
  readonly ts: number;
  /** 0 for an event without a duration. */
  readonly dur: number;
  readonly pid: string;
  /** Identifies the thread within the file. */
  readonly thread: string;
  /** Identifies the object of an event within the file, for example a profile. */
  readonly id: string;
  readonly args: Fields;
  /** `args.data`. */
  readonly data: Fields;
};

/** Longest number or text that identifies a process, thread or object. */
const WORD_LENGTH = 100;
const LATEST_US = LATEST_T_MS * 1000;

/** Reads an event. Returns null if it has no name or phase, or no time that the format can express. Metadata needs no time. */
export function readEvent(value: unknown): ChromeEvent | null {
  const { name, ph, cat, ts, dur, pid, tid, id, id2, args } = fieldsOf(value);
  const phase = textOf(ph);
  const time = phase === 'M' ? 0 : numberOf(ts);
  const duration = Math.max(0, numberOf(dur) || 0);
  if (textOf(name) === '' || phase === '') return null;
  if (!(Math.abs(time) <= LATEST_US && duration <= LATEST_US)) return null;
  const process = wordOf(pid);
  const { local, global } = fieldsOf(id2);
  return {
    name: textOf(name),
    ph: phase,
    cat: textOf(cat),
    ts: time,
    dur: duration,
    pid: process,
    thread: `${process}:${wordOf(tid)}`,
    id: `${process}:${wordOf(id ?? local ?? global)}`,
    args: fieldsOf(args),
    data: fieldsOf(fieldsOf(args)['data']),
  };
}

/** A number or text that identifies something. */
function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, WORD_LENGTH) : String(countOf(value) ?? '');
}
