// One open trace in the worker: its bytes, its model and its info.
import {
  type ConvertedFormat,
  type FoldedEnding,
  FoldedTreeReader,
  foldedModel,
  ProfileReader,
  type PushReader,
  SniffingReader,
  type TraceFormat,
  type TraceModel,
  TraceModelBuilder,
  type TraceSink,
  type TreeRoom,
  type VptEnding,
  VptReader,
} from '@svc/trace';
import type { TraceInfo, TraceOrigin } from '../client/trace-calls.ts';
import {
  checkBytes,
  checkDefinedNodes,
  checkRecords,
  OPEN_LIMITS,
  type OpenLimits,
  treeRoom,
} from './open-limits.ts';

/** Records that are stored in columns or trees. The limit on records applies to the others. */
const IN_COLUMNS: ReadonlySet<string> = new Set(['process', 'frames', 'counter', 'stacks']);

/** Push the bytes as they arrive. `model` and `info` can also be read while a `.vpt` is still growing. */
export class LoadedTrace {
  readonly origin: TraceOrigin;
  /** The bytes from the agent, kept for export. A file needs no copy. */
  readonly pieces: Blob[] = [];
  format: TraceFormat = 'vpt';
  bytes = 0;
  revision = 1;
  readonly #limits: OpenLimits;
  #kept = 0;
  #definedNodes = 0;
  readonly #room: TreeRoom;
  readonly #builder: TraceModelBuilder;
  readonly #reader: PushReader<void>;
  readonly #counts: Record<string, number> = {};
  #vpt: VptEnding | null = null;

  #folded: FoldedEnding | null = null;
  #model: { readonly revision: number; readonly model: TraceModel } | null = null;

  constructor(origin: TraceOrigin, limits: OpenLimits = OPEN_LIMITS) {
    this.origin = origin;
    this.#limits = limits;
    this.#room = treeRoom(limits);
    this.#builder = new TraceModelBuilder(this.#room);
    // The agent always sends .vpt, and a growing trace may be too short to detect its format.
    this.#reader =
      origin.kind === 'agent'
        ? this.#openVpt()
        : new SniffingReader((format) => this.#open(format));
  }

  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    checkBytes(this.bytes, this.#limits);
    this.#reader.push(chunk);
  }

  /** Ends the input. Throws TraceError if the bytes are not a valid trace, and TooBigError if they exceed a limit. */
  finish(): void {
    this.#reader.finish();
  }

  #open(format: TraceFormat): PushReader<void> {
    this.format = format;
    if (format === 'folded') return this.#openFolded();
    return format === 'vpt' ? this.#openVpt() : this.#openProfile(format);
  }

  #openFolded(): PushReader<void> {
    const reader = new FoldedTreeReader(this.#room);
    return {
      push: (chunk) => reader.push(chunk),
      finish: () => {
        const finished = reader.finish();
        this.#folded = finished.ending;
        this.#model = { revision: this.revision, model: foldedModel(finished) };
      },
    };
  }

  #openProfile(format: ConvertedFormat): PushReader<void> {
    const reader = new ProfileReader(format, this.#sink());
    return {
      push: (chunk) => reader.push(chunk),
      finish: () => {
        this.#vpt = reader.finish();
      },
    };
  }

  #openVpt(): PushReader<void> {
    const reader = new VptReader(this.#sink());
    return {
      push: (chunk) => reader.push(chunk),
      finish: () => {
        this.#vpt = reader.finish();
      },
    };
  }

  #sink(): TraceSink {
    return {
      header: (header) => this.#builder.header(header),
      record: (record) => {
        this.#counts[record.type] = (this.#counts[record.type] ?? 0) + 1;
        if (!IN_COLUMNS.has(record.type)) checkRecords(++this.#kept, this.#limits);
        if (record.type === 'stacks') {
          this.#definedNodes += record.parents.length;
          checkDefinedNodes(this.#definedNodes, this.#limits);
        }
        this.#builder.record(record);
      },
    };
  }

  /** The model of everything that was read so far. */
  get model(): TraceModel {
    if (this.#model?.revision !== this.revision) {
      this.#model = { revision: this.revision, model: this.#builder.snapshot() };
    }
    return this.#model.model;
  }

  get info(): TraceInfo {
    const { model, origin } = this;
    const { header } = model;
    const cut = model.losses.find(
      ({ reason }) => reason === 'storage_cap' || reason === 'disk_full',
    );
    const counted = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    return {
      id: origin.id,
      name: origin.name,
      origin: origin.kind,
      format: this.format,
      producer:
        this.format === 'folded' ? null : `${header.producer.name} ${header.producer.version}`,
      target: header.target === undefined ? null : `${header.target.name} (${header.target.pid})`,
      build: header.build?.digest ?? null,
      gpu: header.gpu ?? null,
      machine: header.machine ?? null,
      sources: header.sources,
      startedAt: header.started_at,
      records: this.#folded?.samples ?? counted,
      counts: this.#folded === null ? { ...this.#counts } : { stacks: this.#folded.samples },
      notes: model.notes,
      bytes: this.bytes,
      compressed: origin.kind === 'file' && origin.file.size !== this.bytes,
      durationMs: model.duration_ms ?? 0,
      partial: this.#folded === null && model.end === null,
      truncated: cut?.reason ?? null,
      leftOutSamples: model.stacks.reduce((sum, { tree }) => sum + tree.leftOut, 0),
      endReason: model.end?.reason ?? null,
      tornBytes: this.#vpt?.torn_bytes ?? 0,
      skipped: this.#folded?.skipped ?? [],
      skippedLines: this.#folded?.skipped_count ?? 0,
      twoWeights: model.stacks.some((stacks) => stacks.tree.before !== null),
      revision: this.revision,
    };
  }
}
