// What a program did with one file since the last time it was asked, as trace records: opens, maps, reads, page faults.
import { type AssetKind, type AssetRecord, roundMs } from '@svc/trace';
import type { MapLine, OpenLine } from './parse-file-line.ts';
import type { RunPart } from './run-parts.ts';

/** The file that records are about. */
export type NamedFile = {
  readonly id: number;
  readonly name: string;
  readonly kind: AssetKind;
  /** What its first bytes say it is, where they were looked at. */
  readonly format: string | null;
};

export type WorkOptions = {
  /** The thread that is the process's first: what it waits for, the main thread waits for. */
  readonly mainTid: number;
  readonly pageBytes: number;
  toTraceMs(monotonicNs: number): number;
};

/** Reads or faults in a row, by the main thread or by others. */
type Burst = {
  readonly isMapped: boolean;
  readonly isMain: boolean;
  readonly startNs: number;
  endNs: number;
  tookNs: number;
  bytes: number;
  count: number;
};

/** Work on a file that is nearer than this is told in one record; the kernel's side ends its runs by the same. */
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
  /** What was brought in so far, since the beginning. */
  #readBytes = 0;
  #fileBytes = 0;

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  opened({ tid, startNs, tookNs, bytes }: OpenLine): void {
    this.#fileBytes = bytes;
    const which = tid === this.#options.mainTid ? 'mainOpens' : 'otherOpens';
    this.#calls[which] = withCall(this.#calls[which], startNs, tookNs);
  }

  mapped({ startNs, bytes }: MapLine): void {
    this.#fileBytes = bytes;
    this.#calls.maps = withCall(this.#calls.maps, startNs, 0);
  }

  /** Reads, faults, or pages from storage; the latter stay until there is work to tell them with. */
  advanced(part: RunPart): void {
    if (part.line === 'disk') {
      this.#diskPages += part.amount;
      return;
    }
    if (part.line === 'read') this.#fileBytes = part.bytes;
    this.#parts.push(part);
  }

  /** Records of all that was told since the last time. `diskTold`: whether the kernel tells pages from storage at all. */
  take(file: NamedFile, diskTold: boolean): AssetRecord[] {
    const about = {
      id: file.id,
      name: file.name,
      kind: file.kind,
      ...(file.format === null ? {} : { format: file.format }),
    };
    const records = [...this.#callRecords(), ...this.#burstRecords(diskTold)];
    this.#parts = [];
    return records.map(({ t, phase, ...rest }) => ({ type: 'asset', t, ...about, phase, ...rest }));
  }

  /** Leaves out what was done with something that is no file. */
  forget(): void {
    this.#calls.mainOpens = this.#calls.otherOpens = this.#calls.maps = null;
    this.#parts = [];
  }

  #callRecords(): Told[] {
    const { mainOpens, otherOpens, maps } = this.#calls;
    this.#calls.mainOpens = this.#calls.otherOpens = this.#calls.maps = null;
    const told = ({ startNs, count }: Calls): Told => {
      const t = this.#options.toTraceMs(startNs);
      return { t, phase: 'load', encoded_bytes: this.#fileBytes, count };
    };
    return [
      ...(mainOpens === null ? [] : [{ ...told(mainOpens), ...durations(mainOpens.tookNs, true) }]),
      ...(otherOpens === null
        ? []
        : [{ ...told(otherOpens), ...durations(otherOpens.tookNs, false) }]),
      ...(maps === null ? [] : [{ ...told(maps), mapped: true }]),
    ];
  }

  #burstRecords(diskTold: boolean): Told[] {
    const bursts = burstsOf(this.#parts, this.#options);
    if (bursts.length === 0) return [];
    let transfer = Math.min(this.#diskPages * this.#options.pageBytes, this.#wholePages());
    this.#diskPages = 0;
    return bursts.map((burst): Told => {
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
        ...(diskTold ? fromDisk : {}),
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

/** Calls of one sort: the first one's start, all their time, how many. */
type Calls = { readonly startNs: number; readonly tookNs: number; readonly count: number };

function withCall(calls: Calls | null, startNs: number, tookNs: number): Calls {
  if (calls === null) return { startNs, tookNs, count: 1 };
  const { tookNs: before, count } = calls;
  return { startNs: Math.min(calls.startNs, startNs), tookNs: before + tookNs, count: count + 1 };
}

type Told = Omit<AssetRecord, 'type' | 'id' | 'name' | 'kind' | 'format'>;

function durations(
  tookNs: number,
  isMain: boolean,
): Pick<AssetRecord, 'duration_ms' | 'main_thread_ms'> {
  const ms = roundMs(tookNs / 1e6);
  return { duration_ms: ms, ...(isMain ? { main_thread_ms: ms } : {}) };
}

function burstsOf(parts: readonly RunPart[], { mainTid, pageBytes }: WorkOptions): Burst[] {
  const bursts: Burst[] = [];
  const open = new Map<string, Burst>();
  for (const part of parts.toSorted((a, b) => a.startNs - b.startNs)) {
    const isMapped = part.line === 'fault';
    const isMain = part.tid === mainTid;
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
