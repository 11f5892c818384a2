// Builds the model of a trace from its records. `snapshot` can be called at any time, so a live trace need not be read again.

import { Float64List } from '../bytes/growable.ts';
import { FOLDED_HEADER } from '../folded/convert-folded.ts';
import { type FoldedTreeReader, readFolded } from '../folded/folded-tree.ts';
import { endOfRecord } from '../format/end-of-record.ts';
import type {
  AssetRecord,
  CounterRecord,
  EndRecord,
  FramesRecord,
  Header,
  LogRecord,
  LongTaskRecord,
  LossRecord,
  MarkRecord,
  ProcessRecord,
  ReleaseRecord,
  Source,
  SpanRecord,
  TraceRecord,
} from '../format/records.ts';
import { NoteList } from '../notes/note-list.ts';
import type { TreeRoom } from '../stacks/build-tree.ts';
import { roundMs } from '../vpt/format-record.ts';
import { type TraceSink, VptReader } from '../vpt/read-vpt.ts';
import { StackCollector } from './collect-stacks.ts';
import { ProfileReader } from './read-profile.ts';
import { sniffFormat } from './sniff-format.ts';
import type { Sourced, TraceModel } from './trace-model.ts';

const PROCESS_KEYS = [
  't',
  'cpu_percent',
  'rss_bytes',
  'pss_bytes',
  'pss_cost_ms',
  'threads',
] as const;
const FRAME_KEYS = ['start_ms', 'duration_ms', 'draws', 'triangles', 'gpu_ms', 'main_ms'] as const;
const COUNTER_KEYS = ['t', 'value'] as const;

/** Columns by name. */
type Columns<Key extends string> = Readonly<Record<Key, Float64List>>;

/** A sink for VptReader that builds a TraceModel. */
export class TraceModelBuilder implements TraceSink {
  readonly #room: TreeRoom | null;
  #header: Header | null = null;
  #end: EndRecord | null = null;
  #unknown = 0;
  #latest = 0;
  readonly #process = new Map<Source, Columns<(typeof PROCESS_KEYS)[number]>>();
  readonly #frames = new Map<Source, Columns<(typeof FRAME_KEYS)[number]>>();
  readonly #counters = new Map<
    string,
    { source: Source; name: string; unit: string; columns: Columns<'t' | 'value'> }
  >();
  readonly #stacks = new Map<Source, StackCollector>();
  readonly #longtasks: Sourced<LongTaskRecord>[] = [];
  readonly #assets: Sourced<AssetRecord>[] = [];
  readonly #releases: Sourced<ReleaseRecord>[] = [];
  readonly #spans: Sourced<SpanRecord>[] = [];
  readonly #marks: Sourced<MarkRecord>[] = [];
  readonly #logs: Sourced<LogRecord>[] = [];
  readonly #notes = new NoteList();
  readonly #losses: LossRecord[] = [];

  /** `room` limits all call trees of the model together. */
  constructor(room: TreeRoom | null = null) {
    this.#room = room;
  }

  header(header: Header): void {
    this.#header = header;
  }

  record(record: TraceRecord): void {
    this.#latest = Math.max(this.#latest, endOfRecord(record));
    const source = record.source ?? this.#header?.sources[0] ?? 'import';
    switch (record.type) {
      case 'process':
        this.#takeProcess(record, source);
        break;
      case 'frames':
        this.#takeFrames(record, source);
        break;
      case 'counter':
        this.#takeCounter(record, source);
        break;
      case 'stacks':
        getOrAdd(this.#stacks, source, () => new StackCollector(source, this.#room)).take(record);
        break;
      case 'longtask':
        this.#longtasks.push({ ...record, source });
        break;
      case 'asset':
        this.#assets.push({ ...record, source });
        break;
      case 'release':
        this.#releases.push({ ...record, source });
        break;
      case 'span':
        this.#spans.push({ ...record, source });
        break;
      case 'mark':
        this.#marks.push({ ...record, source });
        break;
      case 'log':
        this.#logs.push({ ...record, source });
        break;
      case 'note':
        this.#notes.take(record);
        break;
      case 'loss':
        this.#losses.push(record);
        break;
      case 'end':
        this.#end = record;
        break;
      case 'unknown':
        this.#unknown++;
        break;
      default:
        record satisfies never;
    }
  }

  /** The model of all records so far. Copies the columns. Throws RangeError if no header was read. */
  snapshot(): TraceModel {
    if (this.#header === null) throw new RangeError('Cannot make a model: no header was read');
    return {
      header: this.#header,
      process: [...this.#process].map(([source, columns]) => ({
        source,
        ...sortedColumns(columns, PROCESS_KEYS, 't'),
      })),
      frames: [...this.#frames].map(([source, columns]) => ({
        source,
        ...sortedColumns(columns, FRAME_KEYS, 'start_ms'),
      })),
      counters: [...this.#counters.values()].map(({ columns, ...counter }) => ({
        ...counter,
        ...sortedColumns(columns, COUNTER_KEYS, 't'),
      })),
      stacks: [...this.#stacks].flatMap(([source, collector]) =>
        collector.finish(this.#frames.has(source)),
      ),
      longtasks: this.#longtasks.toSorted(byTime),
      assets: this.#assets.toSorted(byTime),
      releases: this.#releases.toSorted(byTime),
      spans: this.#spans.toSorted(byTime),
      marks: this.#marks.toSorted(byTime),
      logs: this.#logs.toSorted(byTime),
      notes: this.#notes.notes(),
      losses: this.#losses.toSorted(byTime),
      end: this.#end,
      unknown_records: this.#unknown,
      duration_ms: this.#latest > 0 ? roundMs(this.#latest) : null,
    };
  }

  #takeProcess(record: ProcessRecord, source: Source): void {
    const columns = getOrAdd(this.#process, source, () => newColumns(PROCESS_KEYS));
    for (const key of PROCESS_KEYS) columns[key].push(record[key] ?? Number.NaN);
  }

  #takeFrames(record: FramesRecord, source: Source): void {
    const columns = getOrAdd(this.#frames, source, () => newColumns(FRAME_KEYS));
    const { duration_ms, draws, triangles, gpu_ms, main_ms } = record;
    let start = record.t;
    for (let i = 0; i < duration_ms.length; i++) {
      columns.start_ms.push(start);
      start += duration_ms[i] ?? 0;
    }
    columns.duration_ms.append(duration_ms, duration_ms.length);
    columns.draws.append(draws, duration_ms.length);
    columns.triangles.append(triangles, duration_ms.length);
    columns.gpu_ms.append(gpu_ms, duration_ms.length);
    columns.main_ms.append(main_ms, duration_ms.length);
  }

  #takeCounter({ name, unit, t, value }: CounterRecord, source: Source): void {
    const { columns } = getOrAdd(this.#counters, `${source} ${unit} ${name}`, () => ({
      source,
      name,
      unit,
      columns: newColumns(COUNTER_KEYS),
    }));
    columns.t.push(t);
    columns.value.push(value);
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function byTime(a: { readonly t: number }, b: { readonly t: number }): number {
  return a.t - b.t;
}

function newColumns<Key extends string>(keys: readonly Key[]): Record<Key, Float64List> {
  return mapKeys(keys, () => new Float64List(64));
}

/** Copies the columns with their rows sorted by column `by`. Stable. */
function sortedColumns<Key extends string>(
  columns: Columns<Key>,
  keys: readonly Key[],
  by: Key,
): Record<Key, Float64Array<ArrayBuffer>> {
  const { values, length } = columns[by];
  let ascends = true;
  for (let i = 1; i < length && ascends; i++) ascends = (values[i - 1] ?? 0) <= (values[i] ?? 0);
  if (ascends) return mapKeys(keys, (key) => columns[key].trimmed());
  const order = Uint32Array.from({ length }, (_, i) => i);
  order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
  return mapKeys(keys, (key) => {
    const column = columns[key].values;
    return Float64Array.from(order, (row) => column[row] ?? Number.NaN);
  });
}

function mapKeys<Key extends string, Value>(
  keys: readonly Key[],
  value: (key: Key) => Value,
): Record<Key, Value> {
  const entries = keys.map((key) => [key, value(key)] as const);
  return Object.fromEntries(entries) as Record<Key, Value>;
}

/** The model of a folded file. It has only stacks. */
export function foldedModel(finished: ReturnType<FoldedTreeReader['finish']>): TraceModel {
  const builder = new TraceModelBuilder();
  builder.header(FOLDED_HEADER);
  const stacks = [{ source: 'import', tree: finished.tree, times: null, main_only: true } as const];
  return { ...builder.snapshot(), stacks };
}

/** The model of the text of a file of any format in memory, for small files and tests. Throws TraceError. */
export function modelOf(text: string): TraceModel {
  const bytes = new TextEncoder().encode(text);
  const format = sniffFormat(bytes);
  if (format === 'folded') return foldedModel(readFolded(bytes));
  const builder = new TraceModelBuilder();
  const reader = format === 'vpt' ? new VptReader(builder) : new ProfileReader(format, builder);
  reader.push(bytes);
  reader.finish();
  return builder.snapshot();
}
