// The sentences that state what bounds a frame or a trace. The command line and the viewer show the same ones.

import { msNumber, msText, percentText } from '../facts/number-text.ts';
import type { Bound, BoundHitch, FrameBound, MainWork, TraceBounds } from './frame-bounds.ts';
import { gpuTime } from './frame-parts.ts';

type Gpu = TraceBounds['gpu'];

/** The words for the frames of one kind of program. */
type Words = {
  readonly bounds: Readonly<Record<Bound, string>>;
  readonly work: Readonly<Record<MainWork, string>>;
  /** Follows "in no". */
  readonly function: string;
  /** What the program waits for while its main thread is idle. */
  readonly waits: string;
  /** The next step if the trace does not show the bound. */
  readonly record: string;
};

const PAGE: Words = {
  bounds: {
    script: 'script',
    rendering: 'rendering',
    loading: 'loading',
    gc: 'garbage collection',
    gpu: 'GPU',
    unknown: 'unknown',
  },
  work: {
    script: 'script',
    rendering: 'rendering',
    loading: 'loading',
    gc: 'garbage collection',
    other: 'other work of the browser',
  },
  function: 'function of a script',
  waits: 'The game waited for the GPU, the compositor, a timer or other programs',
  record: 'For a browser game, svc record and a performance trace of Chrome DevTools show it.',
};

/** The functions of a native program are its code, not scripts. */
const NATIVE: Words = {
  bounds: { ...PAGE.bounds, script: 'code' },
  work: { ...PAGE.work, script: 'code', other: 'other work' },
  function: 'sampled function',
  waits: 'The game waited for the GPU, the display, storage, a lock, a timer or other programs',
  record: 'svc dashboard --pid PID --probes frames,stacks records it.',
};

function wordsFor(source: string | null): Words {
  return source === 'native' ? NATIVE : PAGE;
}

/** Short names, for tables. `source` is that of the frames. */
export function boundNames(source: string | null): Words['bounds'] {
  return wordsFor(source).bounds;
}

/** Names of the work of the main thread, for tables. `source` is that of the frames. */
export function workNames(source: string | null): Words['work'] {
  return wordsFor(source).work;
}

/** A frame with its bound and its source. */
export type BoundFrame = FrameBound & Pick<BoundHitch, 'source'>;

/** One or two sentences on a frame: the bound, its evidence, and the next step if the bound is unknown. */
export function frameBoundText({ bound, evidence, parts, source }: BoundFrame, gpu: Gpu): string {
  const words = wordsFor(source);
  const of = `of ${msText(parts.duration_ms)}`;
  switch (evidence) {
    case 'main_thread': {
      const own = bound === 'unknown' ? null : parts[`${bound}_ms`];
      return `Bound by ${words.bounds[bound]}: ${number(own)} ${of} on the main thread.`;
    }
    case 'gpu':
      return `Bound by the GPU: it worked for ${number(gpuTime(parts))} ${of}.${softwareText(gpu)}`;
    case 'gpu_process':
      return `Bound by the GPU: the browser's GPU process worked for ${number(gpuTime(parts))} ${of}.${softwareText(gpu)}`;
    case 'other_work':
      return `Unknown bound: the main thread worked for ${number(parts.main_ms)} ${of}, and the kind of work is unknown for ${number(parts.other_ms)} ms of it. ${parts.has_functions ? `That time is in no ${words.function}.${softwareText(gpu)}` : words.record}`;
    case 'waited':
      return `Not bound by the main thread, which was idle for ${number(parts.idle_ms)} ${of}. ${words.waits}; the trace does not show for which.${softwareText(gpu)}`;
    case 'not_measured':
      return `Unknown bound: the trace does not have the time of the main thread in this frame. ${words.record}`;
    default:
      return evidence satisfies never;
  }
}

/** One or two sentences on the whole trace. */
export function traceBoundText(bounds: TraceBounds): string {
  const { frames, hitches, shares, bound, main_work, source } = bounds;
  const words = wordsFor(source);
  const [first] = shares;
  if (frames === 0) return 'The trace has no frames.';
  if (first === undefined || bound === null) {
    const [most] = main_work ?? [];
    return most === undefined
      ? 'No frame is over budget.'
      : `No frame is over budget. Most time of the main thread is ${words.work[most.work]}: ${percentText(most.share)}.`;
  }
  const share = `${percentText(first.share)} of the time over budget`;
  if (bound !== 'unknown') {
    return `Bound by ${bound === 'gpu' ? 'the GPU' : words.bounds[bound]}: ${share}.${bound === 'gpu' ? softwareText(bounds.gpu) : ''}`;
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
    if (source === 'native') {
      return `The trace does not show what bounds ${share}: the main thread mostly worked in no ${words.function}.`;
    }
    return `Not bound by a script: in ${share}, the main thread mostly did the browser's own work, in no function.${softwareText(bounds.gpu)}`;
  }
  return waited > notMeasured && waited > otherWork
    ? `Not bound by the main thread, which was mostly idle in ${share}. ${words.waits}.${softwareText(bounds.gpu)}`
    : `The trace does not show what bounds ${share}. ${words.record}`;
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
export function frameParts({ parts, source }: Pick<BoundFrame, 'parts' | 'source'>): FramePart[] {
  const names = boundNames(source);
  return [
    { kind: 'script', name: names.script, ms: parts.script_ms },
    { kind: 'rendering', name: names.rendering, ms: parts.rendering_ms },
    { kind: 'loading', name: names.loading, ms: parts.loading_ms },
    { kind: 'gc', name: names.gc, ms: parts.gc_ms },
    { kind: null, name: 'other work', ms: parts.other_ms },
    { kind: null, name: 'idle', ms: parts.idle_ms },
    { kind: 'gpu', name: 'GPU', ms: parts.gpu_ms },
    { kind: 'gpu', name: 'GPU process', ms: parts.gpu_process_ms },
  ];
}

/** The other parts of a frame of at least 0.1 ms, the longest first: `gc 8 ms, idle 3 ms`. Empty without any. */
export function framePartsText(frame: BoundFrame): string {
  return frameParts(frame)
    .flatMap(({ kind, name, ms }) =>
      kind === frame.bound || ms === null || ms < 0.1 ? [] : [{ name, ms }],
    )
    .sort((a, b) => b.ms - a.ms)
    .map(({ name, ms }) => `${name} ${msText(ms)}`)
    .join(', ');
}

/** Milliseconds without a unit. A time that was not measured is 0. */
function number(measured: number | null): string {
  return msNumber(measured ?? 0);
}
