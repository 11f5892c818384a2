// Derives the tracks of the timeline from a trace's model: one track for each kind of measurement and source. Pure.
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
import type {
  Gap,
  IntervalTrack,
  LineTrack,
  PointTrack,
  Timeline,
  Track,
} from './timeline-data.ts';

export function deriveTimeline(model: TraceModel): Timeline {
  const tracks: Track[] = [
    ...model.process.flatMap(processTracks),
    ...model.frames.flatMap(frameTracks),
    ...bySource(model.longtasks).map(([source, tasks]) =>
      intervalTrack({ record: 'longtask', label: 'Long tasks', source }, tasks, (task) => {
        const longest = task.scripts?.toSorted((a, b) => b.duration_ms - a.duration_ms)[0];
        return longest === undefined ? 'long task' : longest.name;
      }),
    ),
    ...bySource(model.assets.filter((asset) => asset.phase !== 'named')).map(([source, assets]) =>
      intervalTrack(
        { record: 'asset', label: 'Assets', source },
        assets,
        (asset) => `${asset.phase} ${asset.name}`,
      ),
    ),
    ...model.counters.map((counter) => counterTrack(counter, model.duration_ms ?? 0)),
    ...bySource(model.spans).flatMap(([source, spans]) => spanTracks(source, spans)),
    ...bySource(model.marks).map(([source, marks]) =>
      pointTrack({ record: 'mark', label: 'Marks', source }, marks, (mark) => mark.name),
    ),
    ...bySource(model.logs).map(([source, logs]) =>
      pointTrack(
        { record: 'log', label: 'Log', source },
        logs,
        (log) => `${log.level}: ${log.text}`,
      ),
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

/** Returns the tracks of one source that have any measured value. */
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
    line({ id: 'cpu', label: 'CPU', unit: 'percent' }, t, columns.cpu_percent),
    { id: 'memory', label: 'Memory', unit: 'bytes', series: memory },
    line({ id: 'threads', label: 'Threads', unit: 'count' }, t, columns.threads),
  ]);
}

/** The strip of frame times, and the other measurements of each frame. */
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
      line({ id: 'gpu', label: 'GPU time', unit: 'ms' }, t, columns.gpu_ms),
      line({ id: 'draws', label: 'Draw calls', unit: 'count' }, t, columns.draws),
      line({ id: 'triangles', label: 'Triangles', unit: 'count' }, t, columns.triangles),
    ]),
  ];
}

function line(head: Omit<Lines, 'series'>, t: Float64Array, value: Float64Array): Lines {
  return { ...head, series: [{ label: head.label, t, value }] };
}

/** Counters that are samples of a changing quantity. Any other counter holds its value until the next record. */
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
      { record: 'span', id: `span/${track}`, label: track === '' ? 'Spans' : track, source },
      list,
      (span) => span.name,
    ),
  );
}

type TrackHead<Kind extends IntervalTrack | PointTrack> = Pick<
  Kind,
  'record' | 'label' | 'source'
> & {
  /** Distinguishes several tracks of one record type and source. By default the record type. */
  readonly id?: string;
};

function intervalTrack<Item extends { readonly t: number; readonly duration_ms?: number }>(
  { record, id = record, label, source }: TrackHead<IntervalTrack>,
  list: readonly Item[],
  name: (item: Item) => string,
): IntervalTrack {
  const t = Float64Array.from(list, (item) => item.t);
  const duration = Float64Array.from(list, (item) => item.duration_ms ?? 0);
  const names = list.map(name);
  return {
    kind: 'intervals',
    record,
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
  { record, id = record, label, source }: TrackHead<PointTrack>,
  list: readonly Item[],
  name: (item: Item) => string,
): Track {
  const t = Float64Array.from(list, (item) => item.t);
  return { kind: 'points', record, id: `${id}/${source}`, label, source, t, names: list.map(name) };
}
