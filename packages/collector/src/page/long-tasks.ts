// Long animation frames with their scripts, or long tasks in browsers without them. Both start at 50 ms.
import { type KnownRecord, roundMs } from '@svc/trace/write';
import { nameOfScript } from '../assets/names.ts';
import { observe } from '../hooks/observe.ts';
import type { Part, Sink } from '../sink/sink.ts';

const LONG_FRAME = 'long-animation-frame';
/** Most scripts in a record; the longest are recorded. */
const SCRIPTS = 16;

/** A `long-animation-frame` entry. Missing in the DOM library's types. */
type LongFrame = PerformanceEntry & {
  readonly blockingDuration?: number;
  readonly scripts?: readonly {
    readonly duration: number;
    readonly sourceURL: string;
    readonly sourceFunctionName: string;
    readonly invoker: string;
  }[];
};

/** Long animation frames contain long tasks, so only one of the two is observed. */
export const longTasks: Part = (sink) => {
  const type = globalThis.PerformanceObserver?.supportedEntryTypes?.includes(LONG_FRAME)
    ? LONG_FRAME
    : 'longtask';
  return observe(type, false, (entry) => {
    if (entry.startTime + entry.duration > sink.origin) sink.write(toRecord(sink, entry));
  });
};

function toRecord(sink: Sink, entry: LongFrame): KnownRecord {
  const scripts = (entry.scripts ?? [])
    .toSorted((a, b) => b.duration - a.duration)
    .slice(0, SCRIPTS)
    .map((script) => ({
      name: nameOfScript(script.sourceURL, script.sourceFunctionName, script.invoker),
      duration_ms: roundMs(script.duration),
    }));
  return {
    type: 'longtask',
    t: sink.since(entry.startTime),
    duration_ms: roundMs(entry.startTime + entry.duration - Math.max(entry.startTime, sink.origin)),
    ...(entry.blockingDuration !== undefined && { blocking_ms: roundMs(entry.blockingDuration) }),
    ...(scripts.length > 0 && { scripts }),
  };
}
