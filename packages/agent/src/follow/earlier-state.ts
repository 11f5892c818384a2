// What a game had when the recording started, from the records that it wrote before: its assets, the values of its counters, and
// its latest mark.
import type { AssetRecord, CounterRecord, MarkRecord, ReleaseRecord } from '@svc/trace';
import type { Merged } from './own-record.ts';

/** The most bytes of memory for the state, roughly. What does not fit is counted. */
const MOST_BYTES = 16 * 1024 * 1024;

/** What an entry needs besides its texts, roughly. */
const ENTRY_BYTES = 256;

/** The most dimensions of an asset that are kept. Real ones have at most five. */
const MOST_DIMS = 16;

export class EarlierState {
  readonly #assets = new Map<AssetRecord['id'], AssetRecord>();
  readonly #counters = new Map<string, CounterRecord>();
  #mark: MarkRecord | null = null;
  #bytes = 0;
  #leftOut = 0;
  /** The latest time of a mark or a counter, and that of those that have been taken. */
  #latestMs = Number.NEGATIVE_INFINITY;
  #takenMs = Number.NEGATIVE_INFINITY;

  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#leftOut === 0 && this.#mark === null;
  }

  has(id: AssetRecord['id']): boolean {
    return this.#assets.has(id);
  }

  /** Takes an event of before the start. Only what the asset has afterwards is kept of it. */
  loaded(record: AssetRecord): void {
    const { id, name, kind, bytes, gpu_bytes, encoded_bytes, dims, format } = record;
    const kept: AssetRecord = {
      ...this.#assets.get(id),
      ...{ type: 'asset', t: 0, id, name, kind, phase: 'named' },
      ...(bytes !== undefined && { bytes }),
      ...(gpu_bytes !== undefined && { gpu_bytes }),
      ...(encoded_bytes !== undefined && { encoded_bytes }),
      ...(dims !== undefined && dims.length <= MOST_DIMS && { dims }),
      ...(format !== undefined && { format }),
    };
    const before = this.#assets.get(id);
    if (this.#hasRoomFor(sizeOf(kept) - sizeOf(before))) this.#assets.set(id, kept);
  }

  /** Memory of an asset was freed before the start. An asset that has nothing left is forgotten. */
  released({ id, bytes, gpu_bytes }: ReleaseRecord): void {
    const before = this.#assets.get(id);
    if (before === undefined) return;
    const left = {
      ...before,
      ...(bytes !== undefined && { bytes }),
      ...(gpu_bytes !== undefined && { gpu_bytes }),
    };
    if ((left.bytes ?? 0) > 0 || (left.gpu_bytes ?? 0) > 0) {
      this.#assets.set(id, left);
      return;
    }
    this.#assets.delete(id);
    this.#bytes -= sizeOf(before);
  }

  counted(record: CounterRecord): void {
    if (!this.#isNews(record.t)) return;
    const before = this.#counters.get(record.name);
    if (!this.#hasRoomFor(sizeOf(record) - sizeOf(before))) return;
    this.#counters.set(record.name, { ...record, t: 0 });
  }

  marked(record: MarkRecord): void {
    if (this.#isNews(record.t)) this.#mark = { ...record, t: 0 };
  }

  /** Returns records at `t` 0 of everything since the last call, and forgets it. */
  take(): Merged[] {
    const records: Merged[] = [...this.#assets.values(), ...this.#counters.values()];
    if (this.#mark !== null) records.push(this.#mark);
    if (this.#leftOut > 0) {
      const reason = 'too_many_assets';
      records.push({ type: 'loss', t: 0, reason, count: this.#leftOut, probe: 'follow' });
    }
    this.#assets.clear();
    this.#counters.clear();
    this.#mark = null;
    this.#bytes = 0;
    this.#leftOut = 0;
    this.#takenMs = this.#latestMs;
    return records;
  }

  #isNews(ms: number): boolean {
    this.#latestMs = Math.max(this.#latestMs, ms);
    return ms > this.#takenMs;
  }

  #hasRoomFor(bytes: number): boolean {
    if (this.#bytes + bytes > MOST_BYTES) {
      this.#leftOut++;
      return false;
    }
    this.#bytes += bytes;
    return true;
  }
}

function sizeOf(record: AssetRecord | CounterRecord | undefined): number {
  if (record === undefined) return 0;
  const other = record.type === 'asset' ? record.format : record.unit;
  return ENTRY_BYTES + 2 * (record.name.length + (other?.length ?? 0));
}
