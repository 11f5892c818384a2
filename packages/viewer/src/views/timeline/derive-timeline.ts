// Makes the tracks of the timeline from a trace's model: one track for what is measured alike by the same source. Pure.
import type {
  CounterColumns,
  FrameColumns,
  LossRecord,
  ProcessColumns,
  Sourced,
  SpanRecord,
  TraceModel,
} from '@svc/trace';
import { assignLanes } from './layout/columns.ts';
import type { Gap, IntervalTrack, LineTrack, Timeline, Track } from './timeline-data.ts';

export function deriveTimeline(model: TraceModel): Timeline {
  const tracks: Track[] = [
    ...model.process.flatMap(processTracks),
    ...model.frames.flatMap(frameTracks),
    ...bySource(model.longtasks).map(([source, tasks]) =>
      intervalTrack('longtask', 'Long tasks', source, tasks, (task) => {
        const longest = task.scripts?.toSorted((a, b) => b.duration_ms - a.duration_ms)[0];
        return longest === undefined ? 'long task' : longest.name;
      }),
    ),
    ...bySource(model.assets.filter((asset) => asset.phase !== 'named')).map(([source, assets]) =>
      intervalTrack('asset', 'Assets', source, assets, (asset) => `${asset.phase} ${asset.name}`),
    ),
    ...model.counters.map((counter) => counterTrack(counter, model.duration_ms ?? 0)),
    ...bySource(model.spans).flatMap(([source, spans]) => spanTracks(source, spans)),
    ...bySource(model.marks).map(([source, marks]) =>
      pointTrack('mark', 'Marks', source, marks, (mark) => mark.name),
    ),
    ...bySource(model.logs).map(([source, logs]) =>
      pointTrack('log', 'Log', source, logs, (log) => `${log.level}: ${log.text}`),
    ),
  ];
  return { duration: model.duration_ms ?? 0, tracks, gaps: model.losses.map(toGap) };
}

function toGap(loss: LossRecord): Gap {
  return {
    t: loss.t,
    duration: loss.duration_ms ?? 0,
    reason: loss.reason,
    source: loss.source ?? null,
    count: loss.count ?? null,
  };
}

function bySource<Item extends { readonly source: string }>(
  items: readonly Item[],
): [string, Item[]][] {
  return [...Map.groupBy(items, (item) => item.source)];
}

type Lines = Omit<LineTrack, 'kind' | 'source'>;

/** The tracks of one source in which anything was measured. */
function lineTracks(source: string, all: readonly Lines[]): Track[] {
  return all.flatMap(({ id, label, unit, series }): Track[] => {
    const measured = series.filter((one) => one.value.some((value) => !Number.isNaN(value)));
    return measured.length === 0
      ? []
      : [{ kind: 'line', id: `${id}/${source}`, label, source, unit, series: measured }];
  });
}

function processTracks({ source, t, ...columns }: ProcessColumns): Track[] {
  const memory = [
    { label: 'RSS', t, value: columns.rss_bytes },
    { label: 'PSS', t, value: columns.pss_bytes },
  ];
  return lineTracks(source, [
    line('cpu', 'CPU', 'percent', t, columns.cpu_percent),
    { id: 'memory', label: 'Memory', unit: 'bytes', series: memory },
    line('threads', 'Threads', 'count', t, columns.threads),
  ]);
}

/** The strip, and below it what else is known of each frame. */
function frameTracks({ source, start_ms: t, duration_ms, ...columns }: FrameColumns): Track[] {
  return [
    {
      kind: 'frames',
      id: `frames/${source}`,
      label: 'Frame time',
      source,
      t,
      duration: duration_ms,
    },
    ...lineTracks(source, [
      line('gpu', 'GPU time', 'ms', t, columns.gpu_ms),
      line('draws', 'Draw calls', 'count', t, columns.draws),
      line('triangles', 'Triangles', 'count', t, columns.triangles),
    ]),
  ];
}

function line(
  id: string,
  label: string,
  unit: string,
  t: Float64Array,
  value: Float64Array,
): Lines {
  return { id, label, unit, series: [{ label, t, value }] };
}

/** Counters that are samples of what goes on changing. Any other is told when it changes, and holds in between. */
const SAMPLED: Readonly<Record<string, string>> = {
  js_heap_bytes: 'JS heap',
  page_memory_bytes: 'Page memory',
  io_read_bytes: 'Read from disk',
};
const HELD: Readonly<Record<string, string>> = { gpu_bytes: 'GPU memory' };

function counterTrack({ source, name, unit, t, value }: CounterColumns, durationMs: number): Track {
  const sampled = SAMPLED[name];
  const label = sampled ?? HELD[name] ?? name;
  const id = `counter/${name}/${unit}/${source}`;
  const series = { label, t, value, ...(sampled === undefined ? { heldTo: durationMs } : {}) };
  return { kind: 'line', id, label, source, unit, series: [series] };
}

function spanTracks(source: string, spans: readonly Sourced<SpanRecord>[]): Track[] {
  return [...Map.groupBy(spans, (span) => span.track ?? '')].map(([track, list]) =>
    intervalTrack(
      `span/${track}`,
      track === '' ? 'Spans' : track,
      source,
      list,
      (span) => span.name,
    ),
  );
}

function intervalTrack<Item extends { readonly t: number; readonly duration_ms?: number }>(
  id: string,
  label: string,
  source: string,
  list: readonly Item[],
  name: (item: Item) => string,
): IntervalTrack {
  const t = Float64Array.from(list, (item) => item.t);
  const duration = Float64Array.from(list, (item) => item.duration_ms ?? 0);
  const names = list.map(name);
  return {
    kind: 'intervals',
    id: `${id}/${source}`,
    label,
    source,
    t,
    duration,
    names,
    ...assignLanes(t, duration),
  };
}

function pointTrack<Item extends { readonly t: number }>(
  id: string,
  label: string,
  source: string,
  list: readonly Item[],
  name: (item: Item) => string,
): Track {
  const t = Float64Array.from(list, (item) => item.t);
  return { kind: 'points', id: `${id}/${source}`, label, source, t, names: list.map(name) };
}
