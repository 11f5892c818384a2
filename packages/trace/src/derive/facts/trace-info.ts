// The result of `svc trace info` for a file of either format, in one pass. Memory is bounded: it grows with distinct stacks, frames and counters, each up to a limit.

import { Int32List } from '../../bytes/growable.ts';
import { hashBytes, hashBytes2, hashPair } from '../../bytes/hash-bytes.ts';
import { FOLDED_UNIT } from '../../folded/folded-tree.ts';
import {
  FoldedScanner,
  type FoldedSink,
  type FoldedStack,
  type SkippedLine,
} from '../../folded/scan-folded.ts';
import type { Header, Source, StacksRecord, TraceRecord } from '../../format/records.ts';
import { ProfileReader } from '../../model/read-profile.ts';
import { type PushReader, SniffingReader, type TraceFormat } from '../../model/sniff-format.ts';
import { DecimalSum, decimalsOf, exactOf } from '../../stacks/exact-column.ts';
import { type TraceSink, type VptEnding, VptReader } from '../../vpt/read-vpt.ts';
import { type DistinctCount, FingerprintSet } from './fingerprints.ts';
import { NO_RECORDING_FACTS, type RecordingFacts, RecordingFactsSink } from './recording-facts.ts';
import { TraceFactsSink } from './trace-facts.ts';

/** `weight_total` is an exact decimal. With two counts it is the second, and `weight_total_before` is the first. */
export type TraceInfo = RecordingFacts & {
  readonly format: TraceFormat;
  readonly sources: readonly Source[];
  /** The number of lines after the header; for a folded file, the number of stacks. */
  readonly records: number;
  readonly samples: number;
  readonly weight_total: string;
  readonly weight_total_before?: string;
  /** The unit of the weights; null without stacks. Further units are in `other_weights`. */
  readonly unit: string | null;
  readonly other_weights?: readonly { readonly unit: string; readonly weight_total: string }[];
  readonly stacks: DistinctCount;
  /** The number of distinct functions in the stacks, not of animation frames: those are in `frame_times`. */
  readonly frames: DistinctCount;
  readonly duration_ms: number | null;
  /** The graphics adapter and the recorded build, if the trace has them. */
  readonly gpu?: NonNullable<Header['gpu']>;
  readonly build?: NonNullable<Header['build']>;
  /** The machine of the recording, if the trace describes it. */
  readonly machine?: NonNullable<Header['machine']>;
  readonly partial: boolean;
  readonly torn_bytes: number;
  /** At most SKIPPED_LISTED lines. */
  readonly skipped: readonly SkippedLine[];
  /** The number of skipped lines; for a profile, of unreadable events, nodes and samples. */
  readonly skipped_count: number;
};

/** Most nodes per source. With more, the number of stacks is reported as over the limit. */
const NODES_FOLLOWED = 2 ** 25;

/** Call `push` with the bytes, then `finish`. Throws TraceError. Pass `format` if it is known, for example by the file name. */
export class TraceInfoReader extends SniffingReader<TraceInfo> {
  constructor(format?: TraceFormat) {
    super((sniffed) => {
      const read = format ?? sniffed;
      return read === 'folded' ? new FoldedInfo() : new VptInfo(read);
    });
  }
}

class FoldedInfo implements PushReader<TraceInfo>, FoldedSink {
  readonly #scanner = new FoldedScanner(this);
  readonly #stacks = new FingerprintSet();
  readonly #frames = new FingerprintSet();
  readonly #total = new DecimalSum();
  readonly #before = new DecimalSum();
  readonly #first = new Int32List();
  readonly #second = new Int32List();

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): TraceInfo {
    const ending = this.#scanner.finish();
    return {
      format: 'folded',
      sources: ['import'],
      records: ending.samples,
      samples: ending.samples,
      weight_total: this.#total.toString(),
      ...(ending.counts === 2 && { weight_total_before: this.#before.toString() }),
      unit: FOLDED_UNIT,
      stacks: this.#stacks.count,
      frames: this.#frames.count,
      duration_ms: null,
      partial: false,
      torn_bytes: 0,
      skipped: ending.skipped,
      skipped_count: ending.skipped_count,
      ...NO_RECORDING_FACTS,
    };
  }

  stack(stack: FoldedStack): void {
    const { bytes, base, starts, ends, hashes, shared, frames } = stack;
    this.#first.reserve(frames);
    this.#second.reserve(frames);
    let first = shared === 0 ? 0 : (this.#first.values[shared - 1] ?? 0);
    let second = shared === 0 ? 0 : (this.#second.values[shared - 1] ?? 0);
    for (let i = shared; i < frames; i++) {
      const hash = hashes[i] ?? 0;
      const hash2 = hashBytes2(bytes, base + (starts[i] ?? 0), base + (ends[i] ?? 0));
      this.#frames.add(hash, hash2);
      first = hashPair(first, hash);
      second = hashPair(second, hash2);
      this.#first.values[i] = first;
      this.#second.values[i] = second;
    }
    this.#stacks.add(first, second);
    this.#total.add(stack.weight, stack.decimals);
    this.#before.add(stack.before, stack.beforeDecimals);
  }
}

/** Fingerprints of the names and nodes of a source, by id. */
type SourceTables = { names: [Int32List, Int32List]; nodes: [Int32List, Int32List] };

class VptInfo implements PushReader<TraceInfo>, TraceSink {
  readonly #format: Exclude<TraceFormat, 'folded'>;
  readonly #reader: PushReader<VptEnding & { readonly unreadable?: number }>;
  readonly #facts = new TraceFactsSink();
  readonly #recording = new RecordingFactsSink();
  readonly #stacks = new FingerprintSet();
  readonly #frames = new FingerprintSet();
  readonly #totals = new Map<string, DecimalSum>();
  readonly #before = new DecimalSum();
  readonly #tables = new Map<Source | undefined, SourceTables>();
  #samples = 0;
  #hasBefore = false;

  constructor(format: Exclude<TraceFormat, 'folded'>) {
    this.#format = format;
    this.#reader = format === 'vpt' ? new VptReader(this) : new ProfileReader(format, this);
  }

  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  header(header: Header): void {
    this.#recording.header(header);
  }

  record(record: TraceRecord): void {
    this.#facts.record(record);
    this.#recording.record(record);
    if (record.type === 'stacks') this.#takeStacks(record);
  }

  finish(): TraceInfo {
    const ending = this.#reader.finish();
    const facts = this.#facts.facts(ending);
    const { gpu, build, machine } = ending.header;
    const [main, ...others] = [...this.#totals].map(([unit, sum]) => ({
      unit,
      weight_total: sum.toString(),
    }));
    return {
      format: this.#format,
      sources: facts.sources,
      records: facts.records,
      samples: this.#samples,
      weight_total: main?.weight_total ?? '0',
      ...(this.#hasBefore && { weight_total_before: this.#before.toString() }),
      unit: main?.unit ?? null,
      ...(others.length > 0 && { other_weights: others }),
      stacks: this.#stacks.count,
      frames: this.#frames.count,
      duration_ms: facts.duration_ms,
      ...(gpu && { gpu: { name: gpu.name, software: gpu.software } }),
      ...(build && { build: { digest: build.digest } }),
      ...(machine && { machine: knownOf(machine) }),
      partial: facts.partial,
      torn_bytes: facts.torn_bytes,
      skipped: [],
      skipped_count: ending.unreadable ?? 0,
      ...this.#recording.finish(),
    };
  }

  #takeStacks(record: StacksRecord): void {
    const tables = this.#tables.get(record.source) ?? newTables();
    this.#tables.set(record.source, tables);
    for (const name of record.names) pushHashes(tables.names, name);
    for (let i = 0; i < record.parents.length; i++) this.#takeNode(tables, record, i);
    this.#sumWeights(record);
    const [first, second] = tables.nodes;
    for (const node of record.samples.node) {
      if (node < first.length) this.#stacks.add(first.values[node] ?? 0, second.values[node] ?? 0);
      else this.#stacks.overflow();
    }
  }

  #takeNode(tables: SourceTables, record: StacksRecord, i: number): void {
    const [first, second] = tables.nodes;
    if (first.length >= NODES_FOLLOWED) return;
    const parent = record.parents[i] ?? -1;
    const [hash, hash2] = frameHashes(
      tables,
      record.node_names[i] ?? 0,
      record.categories?.[i] ?? '',
    );
    this.#frames.add(hash, hash2);
    first.push(hashPair(parent < 0 ? 0 : (first.values[parent] ?? 0), hash));
    second.push(hashPair(parent < 0 ? 0 : (second.values[parent] ?? 0), hash2));
  }

  #sumWeights(record: StacksRecord): void {
    const { weight, before } = record.samples;
    this.#samples += weight.length;
    const decimals = decimalsOf(record.scale);
    const total = this.#totals.get(record.unit) ?? new DecimalSum();
    this.#totals.set(record.unit, total);
    for (const value of weight) total.add(exactOf(value), decimals);
    if (before === undefined) return;
    this.#hasBefore = true;
    for (const value of before) this.#before.add(exactOf(value), decimals);
  }
}

/** The machine without keys that this version does not know. */
function knownOf(machine: NonNullable<Header['machine']>): NonNullable<Header['machine']> {
  const { cores, cpu, max_mhz, memory_bytes } = machine;
  return {
    cores,
    ...(cpu !== undefined && { cpu }),
    ...(max_mhz !== undefined && { max_mhz }),
    ...(memory_bytes !== undefined && { memory_bytes }),
  };
}

const encoder = new TextEncoder();

function newTables(): SourceTables {
  return { names: [new Int32List(), new Int32List()], nodes: [new Int32List(), new Int32List()] };
}

function pushHashes(lists: [Int32List, Int32List], text: string): void {
  const bytes = encoder.encode(text);
  lists[0].push(hashBytes(bytes, 0, bytes.length));
  lists[1].push(hashBytes2(bytes, 0, bytes.length));
}

/** The two hashes of a frame, which is a name and a category. */
function frameHashes(tables: SourceTables, name: number, category: string): [number, number] {
  const hash = tables.names[0].values[name] ?? 0;
  const hash2 = tables.names[1].values[name] ?? 0;
  if (category === '') return [hash, hash2];
  const bytes = encoder.encode(category);
  return [
    hashPair(hash, hashBytes(bytes, 0, bytes.length)),
    hashPair(hash2, hashBytes2(bytes, 0, bytes.length)),
  ];
}
