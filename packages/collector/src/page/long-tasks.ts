// Long animation frames with the scripts they ran, or long tasks where the browser has only those. Both begin at 50 ms.
import { type KnownRecord, roundMs } from '@svc/trace/write';
import { nameOfScript } from '../assets/names.ts';
import { observe } from '../hooks/observe.ts';
import type { Part, Sink } from '../sink/sink.ts';

/** The costliest scripts of one frame that are told. */
const SCRIPTS = 16;

/** The keys read of a `long-animation-frame` entry, which the DOM library's types do not know. */
type LongFrame = PerformanceEntry & {
  readonly blockingDuration?: number;
  readonly scripts?: readonly {
    readonly duration: number;
    readonly sourceURL: string;
    readonly sourceFunctionName: string;
    readonly invoker: string;
  }[];
};

/** A long animation frame holds its long tasks, so only one of the two is observed. */
export const longTasks: Part = (sink) => {
  const type = ['long-animation-frame', 'longtask'].find((one) =>
    globalThis.PerformanceObserver?.supportedEntryTypes?.includes(one),
  );
  if (type === undefined) return 'the browser reports no long tasks';
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
