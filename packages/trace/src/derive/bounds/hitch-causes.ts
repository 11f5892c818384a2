// What caused a hitch, the most costly first. docs/vpt.md section 4 has the formula.
import type { AssetRecord } from '../../format/records.ts';
import { divideTime } from '../../times/divide-time.ts';
import { TimeCover } from '../../times/time-cover.ts';
import { roundMs } from '../../vpt/format-record.ts';
import { liesWithin } from '../frames/lies-within.ts';
import type { Moment } from '../frames/moment.ts';
import { MAIN_TRACKS } from '../frames/span-tracks.ts';
import type { BoundHitch } from './frame-bounds.ts';
import {
  type FrameParts,
  GC_TRACK,
  gpuTime,
  intervals,
  PARSE_HTML,
  RENDERING_TRACK,
} from './frame-parts.ts';
import { WindowSamples } from './window-samples.ts';

/**
 * The kinds of causes. In a tie, the first one counts.
 * - `asset`: work on an asset, such as its upload.
 * - `html`: the browser parsed HTML.
 * - `gc`: garbage collection.
 * - `rendering`: style, layout and paint.
 * - `function`: a function, without the time of the causes above.
 * - `script`: scripts of a trace without functions.
 * - `span`: a span of the game within the hitch, in a trace without functions and scripts there.
 * - `browser`: other work of the browser on the main thread, in no function. A native program has none.
 * - `gpu`: the GPU, which bounds the frame.
 * - `waiting`: the main thread was idle for most of the frame.
 * - `unknown`: work that the trace does not show, because it has no functions there, or the work of a native program that is in
 *   none of them.
 */
export const CAUSES = [
  'asset',
  'html',
  'gc',
  'rendering',
  'function',
  'script',
  'span',
  'browser',
  'gpu',
  'waiting',
  'unknown',
] as const;
export type CauseKind = (typeof CAUSES)[number];

export type HitchCause = {
  readonly kind: CauseKind;
  /** The name of the function, the asset, the span, or the script of the longest task. Null for other kinds, and if it is unknown. */
  readonly name: string | null;
  /** The longest record of the asset in the hitch. Null for other kinds. */
  readonly asset: Pick<AssetRecord, 'kind' | 'phase' | 'dims' | 'format'> | null;
  /**
   * Its time within the hitch. The times of causes do not overlap, except that of the GPU and those of the functions of several
   * threads.
   */
  readonly ms: number;
};

/** At most `limit` causes of a hitch, the most costly first. `moment` is that of the hitch. */
export function hitchCauses(hitch: BoundHitch, moment: Moment, limit = 5): HitchCause[] {
  const { source, parts, bound, evidence } = hitch;
  const own = <Item extends { readonly source: string }>(items: readonly Item[]): Item[] =>
    items.filter((item) => item.source === source);
  const samples = new WindowSamples(own(moment.stacks), moment);
  const spans = own(moment.spans.map(({ item }) => item));
  const rendering = spans.filter(({ track }) => track === RENDERING_TRACK);
  const earlier = [
    intervals(spans.filter(({ track }) => track === GC_TRACK)),
    samples.gc,
    intervals(rendering.filter(({ name }) => name !== PARSE_HTML)),
  ];
  const assets = own(moment.assets.map(({ item }) => item)).map(workOf);
  const works = [
    ...assets.filter(({ asset }) => asset?.kind !== 'script'),
    ...rendering.filter(({ name }) => name === PARSE_HTML).map(parsingOf),
  ];
  const inWorks = [...earlier, intervals(works)];
  const functions = samples.functions(new TimeCover(...inWorks), limit);
  const unexplained = bound === 'gpu' || evidence === 'waited' ? 0 : unknownTime(parts);
  const inNoFunction = (parts.has_functions ? parts.other_ms : null) ?? 0;
  const isNative = source === 'native';
  const named =
    parts.script_ms > 0 ? [] : spanCauses(spans, moment, new TimeCover(...inWorks), unexplained);
  const causes = [
    ...divided(works, moment, new TimeCover(...earlier)),
    // Scripts, because the time of other assets is in works.
    ...divided(assets, moment, new TimeCover(...inWorks, samples.script)),
    plain('gc', parts.gc_ms),
    plain('rendering', parts.rendering_ms),
    ...functions.map(({ name, self }) => ({ ...plain('function', self), name })),
    {
      ...plain('script', functions.length > 0 ? null : parts.script_ms),
      name: longestScript(moment, source),
    },
    plain('browser', isNative ? null : inNoFunction),
    plain('gpu', bound === 'gpu' ? gpuTime(parts) : null),
    plain('waiting', evidence === 'waited' ? parts.idle_ms : null),
    ...named,
    plain(
      'unknown',
      named.reduce((rest, { ms }) => rest - ms, unexplained) + (isNative ? inNoFunction : 0),
    ),
  ]
    .map((cause) => ({ ...cause, ms: roundMs(cause.ms) }))
    .filter(({ ms }) => ms > 0);
  return CAUSES.flatMap((kind) => causes.filter((cause) => cause.kind === kind))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, limit);
}

/** Work of the main thread. Works with one key are one cause. */
type Work = Omit<HitchCause, 'ms'> & {
  readonly key: string;
  readonly t: number;
  readonly duration_ms: number;
};

function workOf(record: Moment['assets'][number]['item']): Work {
  const { t, id, name, kind, phase, dims, format, main_thread_ms } = record;
  return {
    ...{ kind: 'asset', key: `${phase} ${typeof id} ${id}`, name },
    asset: { kind, phase, ...(dims && { dims }), ...(format !== undefined && { format }) },
    ...{ t, duration_ms: main_thread_ms ?? 0 },
  };
}

function parsingOf({ t, duration_ms }: Moment['spans'][number]['item']): Work {
  return { kind: 'html', key: PARSE_HTML, name: null, asset: null, t, duration_ms };
}

/** The causes of works, each without the time that `taken` covers, or that a work inside of it has. */
function divided(works: readonly Work[], moment: Moment, taken: TimeCover): HitchCause[] {
  const causes = new Map<string, HitchCause & { longest: number }>();
  divideTime(intervals(works), (index, start, end) => {
    const work = works[index];
    const from = Math.max(start, moment.from_ms);
    const to = Math.min(end, moment.to_ms);
    if (work === undefined || to <= from) return;
    const { kind, key, name, asset, duration_ms } = work;
    const before = causes.get(key);
    const ms = (before?.ms ?? 0) + to - from - taken.within(from, to);
    const isLongest = before === undefined || duration_ms > before.longest;
    causes.set(
      key,
      isLongest ? { kind, name, asset, ms, longest: duration_ms } : { ...before, ms },
    );
  });
  return [...causes.values()].map(({ longest: _, ...cause }) => cause);
}

function plain(kind: CauseKind, ms: number | null): HitchCause {
  return { kind, name: null, asset: null, ms: ms ?? 0 };
}

/** The time that the parts of a frame without functions do not explain. */
function unknownTime({ has_functions, duration_ms, other_ms, ...parts }: FrameParts): number {
  if (has_functions) return 0;
  const { script_ms, rendering_ms, loading_ms, gc_ms } = parts;
  return other_ms ?? duration_ms - script_ms - rendering_ms - loading_ms - gc_ms;
}

/**
 * The spans of the game that lie within the hitch, without a track or on one of the main thread, for at most `most` ms that no
 * other cause has. The longest is first.
 */
function spanCauses(
  spans: readonly Moment['spans'][number]['item'][],
  moment: Moment,
  taken: TimeCover,
  most: number,
): HitchCause[] {
  const within = spans.filter(
    ({ t, duration_ms, track }) =>
      (track === undefined || MAIN_TRACKS.has(track)) &&
      liesWithin({ from_ms: t, to_ms: t + duration_ms }, moment),
  );
  const works = within.map(
    ({ t, duration_ms, name, track = '' }): Work => ({
      ...{ kind: 'span', key: `${track} ${name}`, name, asset: null, t, duration_ms },
    }),
  );
  let left = most;
  return divided(works, moment, taken)
    .toSorted((a, b) => b.ms - a.ms)
    .map((cause) => {
      const ms = Math.min(cause.ms, left);
      left -= ms;
      return { ...cause, ms };
    });
}

/** The script with the most time in the long tasks of the hitch. */
function longestScript({ longtasks }: Moment, source: string): string | null {
  const scripts = longtasks.flatMap(({ item }) =>
    item.source === source ? (item.scripts ?? []) : [],
  );
  return scripts.toSorted((a, b) => b.duration_ms - a.duration_ms)[0]?.name ?? null;
}
