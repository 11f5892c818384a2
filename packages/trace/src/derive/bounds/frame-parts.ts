// Divides the time of each frame among the kinds of work of the main thread. No time counts twice.
import type { FrameColumns, TraceModel } from '../../model/trace-model.ts';
import { type IntervalList, TimeCover } from '../../times/time-cover.ts';
import { roundMs } from '../../vpt/format-record.ts';
import { type Intervals, lossIntervals, overlaps } from '../frames/loss-intervals.ts';
import { type MainSamples, mainSamples } from './main-samples.ts';
import { ScriptTasks } from './script-tasks.ts';

/** Tracks of spans that the view reads, as the conversion of Chrome traces writes them. */
export const GC_TRACK = 'gc';
export const RENDERING_TRACK = 'rendering';
const GPU_PROCESS_TRACK = 'gpu process';
/** A span on the rendering track that is loading. */
export const PARSE_HTML = 'parse HTML';

/**
 * The time of a frame in ms, rounded to three decimals. Null: not measured. `gc_ms`, `rendering_ms`, `loading_ms`, `script_ms`
 * and `other_ms` add up to `main_ms`, and with `idle_ms` to the duration. If `main_ms` is null, the four kinds are lower bounds.
 */
export type FrameParts = {
  readonly duration_ms: number;
  readonly main_ms: number | null;
  readonly script_ms: number;
  readonly rendering_ms: number;
  readonly loading_ms: number;
  readonly gc_ms: number;
  /** Work of the main thread of no known kind. */
  readonly other_ms: number | null;
  readonly idle_ms: number | null;
  /** Whether the trace has the functions that ran in the frame. */
  readonly has_functions: boolean;
  /** The time of the GPU by a timer query. */
  readonly gpu_ms: number | null;
  /** The time in which the browser's GPU process worked for all pages. */
  readonly gpu_process_ms: number | null;
};

/** Returns the parts of frame `index` of the columns. The model is read once, and each frame then costs a few binary searches. */
export function framePartsOf(
  model: TraceModel,
  frames: FrameColumns,
): (index: number) => FrameParts {
  const evidence = evidenceOf(model, frames.source);
  return (index) => partsOf(frames, index, evidence);
}

/** The evidence of one source. Each layer contains the one before, so the difference of two is one kind of work. */
type Evidence = {
  readonly gc: TimeCover;
  readonly rendering: TimeCover;
  readonly loading: TimeCover;
  readonly script: TimeCover;
  readonly samples: MainSamples;
  readonly sampled: TimeCover;
  /** The times in which samples were lost. */
  readonly unsampled: Intervals;
  readonly tasks: ScriptTasks;
  /** Loads and collections, which run inside scripts, and the tasks; and both together. */
  readonly nested: TimeCover;
  readonly task: TimeCover;
  readonly nestedOrTask: TimeCover;
  readonly gpuProcess: TimeCover | null;
};

function evidenceOf(model: TraceModel, source: FrameColumns['source']): Evidence {
  const own = <Item extends { readonly source: string }>(items: readonly Item[]): Item[] =>
    items.filter((item) => item.source === source);
  const spans = own(model.spans);
  const onTrack = (track: string): typeof spans => spans.filter((span) => span.track === track);
  const rendering = onTrack(RENDERING_TRACK);
  const samples = mainSamples(own(model.stacks));
  const gc = new TimeCover(intervals(onTrack(GC_TRACK)), samples.gc);
  const rendered = intervals(rendering.filter(({ name }) => name !== PARSE_HTML));
  const loaded = [
    intervals(rendering.filter(({ name }) => name === PARSE_HTML)),
    intervals(
      own(model.assets).map(({ t, main_thread_ms }) => ({ t, duration_ms: main_thread_ms ?? 0 })),
    ),
  ];
  const inRendering = new TimeCover(gc, rendered);
  const inLoading = new TimeCover(inRendering, ...loaded);
  const inScript = new TimeCover(inLoading, samples.script);
  const tasks = new ScriptTasks(own(model.longtasks));
  const gpuSpans = onTrack(GPU_PROCESS_TRACK);
  const nested = new TimeCover(gc, ...loaded);
  return {
    gc,
    rendering: inRendering,
    loading: inLoading,
    script: inScript,
    samples,
    sampled: new TimeCover(inScript, samples.other),
    unsampled: lossIntervals(model.losses, source, 'stacks'),
    tasks,
    nested,
    task: new TimeCover(tasks),
    nestedOrTask: new TimeCover(nested, tasks),
    gpuProcess: gpuSpans.length === 0 ? null : new TimeCover(intervals(gpuSpans)),
  };
}

export function intervals(
  items: readonly { readonly t: number; readonly duration_ms: number }[],
): IntervalList {
  return {
    from: Float64Array.from(items, ({ t }) => t),
    to: Float64Array.from(items, ({ t, duration_ms }) => t + duration_ms),
  };
}

function partsOf(frames: FrameColumns, index: number, evidence: Evidence): FrameParts {
  const from = frames.start_ms[index] ?? Number.NaN;
  const duration = frames.duration_ms[index] ?? Number.NaN;
  const to = from + duration;
  const gc = evidence.gc.within(from, to);
  const inRendering = evidence.rendering.within(from, to);
  const inLoading = evidence.loading.within(from, to);
  const isSampled = coversFrame(evidence, from, to);
  const measured = frames.main_ms[index] ?? Number.NaN;
  // The column counts as at least the work that is certain from other evidence, and at most the frame.
  const main = !Number.isNaN(measured)
    ? Math.min(duration, Math.max(measured, inLoading))
    : isSampled
      ? evidence.sampled.within(from, to)
      : null;
  const found = isSampled
    ? evidence.script.within(from, to) - inLoading
    : scriptInTasks(evidence, from, to);
  const script = Math.min(found, (main ?? duration) - inLoading);
  const known = inLoading + script;
  const gpu = frames.gpu_ms[index] ?? Number.NaN;
  return {
    duration_ms: roundMs(duration),
    main_ms: main === null ? null : roundMs(main),
    script_ms: roundMs(script),
    rendering_ms: roundMs(inRendering - gc),
    loading_ms: roundMs(inLoading - inRendering),
    gc_ms: roundMs(gc),
    other_ms: main === null ? null : roundMs(main - known),
    idle_ms: main === null ? null : roundMs(duration - main),
    has_functions: isSampled,
    gpu_ms: Number.isNaN(gpu) ? null : roundMs(gpu),
    gpu_process_ms:
      evidence.gpuProcess === null ? null : roundMs(evidence.gpuProcess.within(from, to)),
  };
}

/** The time of the GPU or of the GPU process, the longer one. 0 if neither was measured. */
export function gpuTime({ gpu_ms, gpu_process_ms }: FrameParts): number {
  return Math.max(gpu_ms ?? 0, gpu_process_ms ?? 0);
}

/** Whether the whole frame was sampled: it is between the first and the last sample, and overlaps no loss of samples. */
function coversFrame({ samples, unsampled }: Evidence, from: number, to: number): boolean {
  if (samples.from_ms > from || to > samples.to_ms) return false;
  return !overlaps(unsampled, from, to);
}

/** The least time in scripts of long tasks that is neither loading nor garbage collection. */
function scriptInTasks(
  { tasks, nested, task, nestedOrTask }: Evidence,
  from: number,
  to: number,
): number {
  const inBoth = nested.within(from, to) + task.within(from, to) - nestedOrTask.within(from, to);
  return Math.max(0, tasks.within(from, to) - Math.max(0, inBoth));
}
