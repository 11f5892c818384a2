// Collects the work of a program on one file and turns it into trace records: opens, mappings,
// reads, page faults.
import { type AssetKind, type AssetRecord, roundMs } from '@svc/trace';
import type { MapLine, OpenLine } from './parse-file-line.ts';
import type { RunPart } from './run-parts.ts';

/** The file that the records describe. */
export type NamedFile = {
  readonly id: number;
  readonly name: string;
  readonly kind: AssetKind;
  /** The format that the file's first bytes show, or null if they were not read. */
  readonly format: string | null;
};

export type WorkOptions = {
  /** The threads whose work delays a frame. Threads may be added during the capture. */
  readonly frameThreads: ReadonlySet<number>;
  readonly pageBytes: number;
  toTraceMs(monotonicNs: number): number;
};

/** Consecutive reads or faults, either all by threads that delay a frame or all by others. */
type Burst = {
  readonly isMapped: boolean;
  readonly isMain: boolean;
  readonly startNs: number;
  endNs: number;
  tookNs: number;
  bytes: number;
  count: number;
};

/**
 * Work on a file with shorter pauses than this is combined in one record. The kernel program ends
 * its runs after the same pause.
 */
const PAUSE_NS = 50e6;

export class FileWork {
  readonly #options: WorkOptions;
  readonly #calls: Record<'mainOpens' | 'otherOpens' | 'maps', Calls | null> = {
    mainOpens: null,
    otherOpens: null,
    maps: null,
  };
  #parts: RunPart[] = [];
  #diskPages = 0;
  /** Bytes read since the start of the capture. */
  #readBytes = 0;
  #fileBytes = 0;

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  opened({ tid, startNs, tookNs, bytes }: OpenLine): void {
    this.#fileBytes = bytes;
    const which = this.#options.frameThreads.has(tid) ? 'mainOpens' : 'otherOpens';
    this.#calls[which] = withCall(this.#calls[which], startNs, tookNs);
  }

  mapped({ startNs, bytes }: MapLine): void {
    this.#fileBytes = bytes;
    this.#calls.maps = withCall(this.#calls.maps, startNs, 0);
  }

  /**
   * Adds reads, faults, or pages from storage. Pages from storage are kept until there is other
   * work to report them with.
   */
  advanced(part: RunPart): void {
    if (part.line === 'disk') {
      this.#diskPages += part.amount;
      return;
    }
    if (part.line === 'read') this.#fileBytes = part.bytes;
    this.#parts.push(part);
  }

  /**
   * Returns records of all work since the last call. `reportsDisk` says whether this kernel reports
   * pages from storage.
   */
  take(file: NamedFile, reportsDisk: boolean): AssetRecord[] {
    const about = {
      id: file.id,
      name: file.name,
      kind: file.kind,
      ...(file.format === null ? {} : { format: file.format }),
    };
    const records = [...this.#callRecords(), ...this.#burstRecords(reportsDisk)];
    this.#parts = [];
    return records.map(({ t, phase, ...rest }) => ({ type: 'asset', t, ...about, phase, ...rest }));
  }

  /** Discards the work, because the object is not a regular file. */
  forget(): void {
    this.#calls.mainOpens = this.#calls.otherOpens = this.#calls.maps = null;
    this.#parts = [];
  }

  #callRecords(): WorkRecord[] {
    const { mainOpens, otherOpens, maps } = this.#calls;
    this.#calls.mainOpens = this.#calls.otherOpens = this.#calls.maps = null;
    const recordOf = ({ startNs, count }: Calls): WorkRecord => {
      const t = this.#options.toTraceMs(startNs);
      return { t, phase: 'load', encoded_bytes: this.#fileBytes, count };
    };
    return [
      ...(mainOpens === null
        ? []
        : [{ ...recordOf(mainOpens), ...durations(mainOpens.tookNs, true) }]),
      ...(otherOpens === null
        ? []
        : [{ ...recordOf(otherOpens), ...durations(otherOpens.tookNs, false) }]),
      ...(maps === null ? [] : [{ ...recordOf(maps), mapped: true }]),
    ];
  }

  #burstRecords(reportsDisk: boolean): WorkRecord[] {
    const bursts = burstsOf(this.#parts, this.#options);
    if (bursts.length === 0) return [];
    let transfer = Math.min(this.#diskPages * this.#options.pageBytes, this.#wholePages());
    this.#diskPages = 0;
    return bursts.map((burst): WorkRecord => {
      const read = burst.isMapped
        ? Math.min(burst.bytes, this.#fileBytes || burst.bytes)
        : burst.bytes;
      this.#readBytes += read;
      const fromDisk = { transfer_bytes: transfer, cached: transfer === 0 };
      transfer = 0;
      return {
        t: this.#options.toTraceMs(burst.startNs),
        phase: 'read',
        bytes: Math.min(this.#readBytes, this.#fileBytes || this.#readBytes),
        ...(this.#fileBytes === 0 ? {} : { encoded_bytes: this.#fileBytes }),
        ...(reportsDisk ? fromDisk : {}),
        ...(burst.isMapped ? {} : durations(burst.tookNs, burst.isMain)),
        count: burst.count,
        read_bytes: read,
        ...(burst.isMapped ? { mapped: true } : {}),
      };
    });
  }

  #wholePages(): number {
    const { pageBytes } = this.#options;
    return this.#fileBytes === 0
      ? Number.POSITIVE_INFINITY
      : Math.ceil(this.#fileBytes / pageBytes) * pageBytes;
  }
}

/** Calls of one kind: the start of the first, their total time and their number. */
type Calls = { readonly startNs: number; readonly tookNs: number; readonly count: number };

function withCall(calls: Calls | null, startNs: number, tookNs: number): Calls {
  if (calls === null) return { startNs, tookNs, count: 1 };
  const { tookNs: before, count } = calls;
  return { startNs: Math.min(calls.startNs, startNs), tookNs: before + tookNs, count: count + 1 };
}

type WorkRecord = Omit<AssetRecord, 'type' | 'id' | 'name' | 'kind' | 'format'>;

function durations(
  tookNs: number,
  isMain: boolean,
): Pick<AssetRecord, 'duration_ms' | 'main_thread_ms'> {
  const ms = roundMs(tookNs / 1e6);
  return { duration_ms: ms, ...(isMain ? { main_thread_ms: ms } : {}) };
}

function burstsOf(parts: readonly RunPart[], { frameThreads, pageBytes }: WorkOptions): Burst[] {
  const bursts: Burst[] = [];
  const open = new Map<string, Burst>();
  for (const part of parts.toSorted((a, b) => a.startNs - b.startNs)) {
    const isMapped = part.line === 'fault';
    const isMain = frameThreads.has(part.tid);
    const bytes = isMapped ? part.amount * pageBytes : part.amount;
    const key = `${isMapped} ${isMain}`;
    const last = open.get(key);
    if (last !== undefined && part.startNs - last.endNs < PAUSE_NS) {
      last.endNs = Math.max(last.endNs, part.endNs);
      last.tookNs += part.tookNs;
      last.bytes += bytes;
      last.count += part.count;
      continue;
    }
    const { startNs, endNs, tookNs, count } = part;
    const burst: Burst = { isMapped, isMain, startNs, endNs, tookNs, bytes, count };
    open.set(key, burst);
    bursts.push(burst);
  }
  return bursts;
}
