// The sentences that state what bounds a frame or a trace. The command line and the viewer show the same ones.

import { msNumber, msText, percentText } from '../facts/number-text.ts';
import type { Bound, BoundHitch, FrameBound, MainWork, TraceBounds } from './frame-bounds.ts';
import { type FrameParts, gpuTime } from './frame-parts.ts';

type Gpu = TraceBounds['gpu'];

/** Short names, for tables. */
export const BOUND_NAMES: Readonly<Record<Bound, string>> = {
  script: 'script',
  rendering: 'rendering',
  loading: 'loading',
  gc: 'garbage collection',
  gpu: 'GPU',
  unknown: 'unknown',
};

/** Names of the work of the main thread, for tables. */
export const WORK_NAMES: Readonly<Record<MainWork, string>> = {
  script: 'script',
  rendering: 'rendering',
  loading: 'loading',
  gc: 'garbage collection',
  other: 'other work of the browser',
};

const RECORD = 'For a browser game, svc record and a performance trace of Chrome DevTools show it.';

/** One or two sentences on a frame: the bound, its evidence, and the next step if the bound is unknown. */
export function frameBoundText({ bound, evidence, parts }: FrameBound, gpu: Gpu): string {
  const of = `of ${msText(parts.duration_ms)}`;
  switch (evidence) {
    case 'main_thread': {
      const own = bound === 'unknown' ? null : parts[`${bound}_ms`];
      return `Bound by ${BOUND_NAMES[bound]}: ${number(own)} ${of} on the main thread.`;
    }
    case 'gpu':
      return `Bound by the GPU: it worked for ${number(gpuTime(parts))} ${of}.${softwareText(gpu)}`;
    case 'gpu_process':
      return `Bound by the GPU: the browser's GPU process worked for ${number(gpuTime(parts))} ${of}.${softwareText(gpu)}`;
    case 'other_work':
      return `Unknown bound: the main thread worked for ${number(parts.main_ms)} ${of}, and the kind of work is unknown for ${number(parts.other_ms)} ms of it. ${parts.has_functions ? `That time is in no function of a script.${softwareText(gpu)}` : RECORD}`;
    case 'waited':
      return `Not bound by the main thread, which was idle for ${number(parts.idle_ms)} ${of}. The game waited for the GPU, the compositor, a timer or other programs; the trace does not show for which.${softwareText(gpu)}`;
    case 'not_measured':
      return `Unknown bound: the trace does not have the time of the main thread in this frame. ${RECORD}`;
    default:
      return evidence satisfies never;
  }
}

/** One or two sentences on the whole trace. */
export function traceBoundText(bounds: TraceBounds): string {
  const { frames, hitches, shares, bound, main_work } = bounds;
  const [first] = shares;
  if (frames === 0) return 'The trace has no frames.';
  if (first === undefined || bound === null) {
    const [most] = main_work ?? [];
    return most === undefined
      ? 'No frame is over budget.'
      : `No frame is over budget. Most time of the main thread is ${WORK_NAMES[most.work]}: ${percentText(most.share)}.`;
  }
  const share = `${percentText(first.share)} of the time over budget`;
  if (bound !== 'unknown') {
    return `Bound by ${bound === 'gpu' ? 'the GPU' : BOUND_NAMES[bound]}: ${share}.${bound === 'gpu' ? softwareText(bounds.gpu) : ''}`;
  }
  const over = (has: (hitch: BoundHitch) => boolean): number =>
    hitches.filter(has).reduce((sum, hitch) => sum + hitch.over_ms, 0);
  const waited = over(({ evidence }) => evidence === 'waited');
  const notMeasured = over(({ evidence }) => evidence === 'not_measured');
  const otherWork = over(({ evidence }) => evidence === 'other_work');
  const inNoFunction = over(
    ({ evidence, parts }) => evidence === 'other_work' && parts.has_functions,
  );
  if (inNoFunction * 2 > first.over_ms) {
    return `Not bound by a script: in ${share}, the main thread mostly did the browser's own work, in no function.${softwareText(bounds.gpu)}`;
  }
  return waited > notMeasured && waited > otherWork
    ? `Not bound by the main thread, which was mostly idle in ${share}. The game waited for the GPU, the compositor, a timer or other programs.${softwareText(bounds.gpu)}`
    : `The trace does not show what bounds ${share}. ${RECORD}`;
}

/** A sentence, after a blank, if graphics was rendered in software. Empty otherwise. */
export function softwareText(gpu: Gpu): string {
  if (gpu?.software !== true) return '';
  return ` Graphics was rendered in software (${gpu.name}), so this says nothing about computers with a GPU.`;
}

/** A part of a frame. `kind` is the bound that it is evidence for, if it is one. `ms` is null if it was not measured. */
export type FramePart = {
  readonly kind: Exclude<Bound, 'unknown'> | null;
  readonly name: string;
  readonly ms: number | null;
};

/** All parts of a frame: first those of the main thread, which add up to the frame if all are known, then those of the GPU. */
export function frameParts(parts: FrameParts): FramePart[] {
  return [
    { kind: 'script', name: BOUND_NAMES.script, ms: parts.script_ms },
    { kind: 'rendering', name: BOUND_NAMES.rendering, ms: parts.rendering_ms },
    { kind: 'loading', name: BOUND_NAMES.loading, ms: parts.loading_ms },
    { kind: 'gc', name: BOUND_NAMES.gc, ms: parts.gc_ms },
    { kind: null, name: 'other work', ms: parts.other_ms },
    { kind: null, name: 'idle', ms: parts.idle_ms },
    { kind: 'gpu', name: 'GPU', ms: parts.gpu_ms },
    { kind: 'gpu', name: 'GPU process', ms: parts.gpu_process_ms },
  ];
}

/** The other parts of a frame of at least 0.1 ms, the longest first: `gc 8 ms, idle 3 ms`. Empty without any. */
export function framePartsText({ bound, parts }: FrameBound): string {
  return frameParts(parts)
    .flatMap(({ kind, name, ms }) =>
      kind === bound || ms === null || ms < 0.1 ? [] : [{ name, ms }],
    )
    .sort((a, b) => b.ms - a.ms)
    .map(({ name, ms }) => `${name} ${msText(ms)}`)
    .join(', ');
}

/** Milliseconds without a unit. A time that was not measured is 0. */
function number(measured: number | null): string {
  return msNumber(measured ?? 0);
}
