// What the records of one asset add up to, kept as sums and latest values: memory does not grow with its records.
import type { AssetId, AssetKind, AssetPhase, AssetRecord, Source } from '../records.ts';

/** A value with the time it was told at: a later one takes its place. */
type Latest<Value> = { readonly t: number; readonly value: Value } | null;

export class AssetTotals {
  readonly id: AssetId;
  readonly source: Source;
  /** How many records tell of each phase, and how much time they took; no time where none told. */
  readonly counts = new Map<AssetPhase, number>();
  readonly times = new Map<AssetPhase, number>();
  main_thread_ms: number | null = null;
  /** The longest main-thread work of one record. */
  longest: { readonly phase: AssetPhase; readonly ms: number } | null = null;
  isOpaque = false;
  /** Main-thread work: start and length, one after the other. */
  readonly works: number[] = [];
  /** Bytes that were read of it in all, and by how many calls; null where no record told. Mappings are in the first alone. */
  read_bytes: number | null = null;
  reads = 0;
  #named: Latest<AssetRecord> = null;
  #told: Latest<AssetRecord> = null;
  #bytes: Latest<number> = null;
  #encodedBytes: Latest<number> = null;
  #gpuBytes: Latest<number> = null;
  #format: Latest<string> = null;
  #dims: Latest<readonly number[]> = null;

  constructor(id: AssetId, source: Source) {
    this.id = id;
    this.source = source;
  }

  take(record: AssetRecord): void {
    const { phase, t, duration_ms, main_thread_ms, opaque } = record;
    this.counts.set(phase, (this.counts.get(phase) ?? 0) + 1);
    if (duration_ms !== undefined) {
      this.times.set(phase, (this.times.get(phase) ?? 0) + duration_ms);
    }
    if (main_thread_ms !== undefined) this.#takeMainThread(phase, t, main_thread_ms);
    if (record.read_bytes !== undefined) this.#takeRead(record, record.read_bytes);
    this.isOpaque ||= opaque === true;
    this.#told = later(this.#told, t, record);
    if (phase === 'named') this.#named = later(this.#named, t, record);
    this.#bytes = later(this.#bytes, t, record.bytes);
    this.#encodedBytes = later(this.#encodedBytes, t, record.encoded_bytes);
    this.#gpuBytes = later(this.#gpuBytes, t, record.gpu_bytes);
    this.#format = later(this.#format, t, record.format);
    this.#dims = later(this.#dims, t, record.dims);
  }

  get name(): string {
    return this.#record?.name ?? '';
  }

  get kind(): AssetKind {
    return this.#record?.kind ?? 'other';
  }

  get bytes(): number | null {
    return this.#bytes?.value ?? null;
  }

  get encoded_bytes(): number | null {
    return this.#encodedBytes?.value ?? null;
  }

  get gpu_bytes(): number | null {
    return this.#gpuBytes?.value ?? null;
  }

  get format(): string | null {
    return this.#format?.value ?? null;
  }

  get dims(): readonly number[] {
    return this.#dims?.value ?? [];
  }

  /** Records of work on it; naming it is none. */
  get uses(): number {
    let uses = 0;
    for (const [phase, count] of this.counts) if (phase !== 'named') uses += count;
    return uses;
  }

  /** The time of these phases together; null where no record told one. */
  timeOf(...phases: AssetPhase[]): number | null {
    const told = phases.flatMap((phase) => this.times.get(phase) ?? []);
    return told.length === 0 ? null : told.reduce((sum, ms) => sum + ms, 0);
  }

  get #record(): AssetRecord | null {
    return (this.#named ?? this.#told)?.value ?? null;
  }

  #takeRead({ count, mapped }: AssetRecord, bytes: number): void {
    this.read_bytes = (this.read_bytes ?? 0) + bytes;
    if (mapped !== true) this.reads += count ?? 1;
  }

  #takeMainThread(phase: AssetPhase, t: number, ms: number): void {
    this.main_thread_ms = (this.main_thread_ms ?? 0) + ms;
    if (ms > (this.longest?.ms ?? 0)) this.longest = { phase, ms };
    if (ms === 0) return;
    this.works.push(t, ms);
  }
}

/** Of two values told at the same time the one later in the file stays. */
function later<Value>(known: Latest<Value>, t: number, value: Value | undefined): Latest<Value> {
  return value === undefined || (known !== null && known.t > t) ? known : { t, value };
}
