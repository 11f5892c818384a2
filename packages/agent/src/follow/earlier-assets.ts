// The assets that a game had when the recording started, from the records that it wrote before.
import type { AssetId, AssetRecord, ReleaseRecord } from '@svc/trace';

/** The most assets that are kept. Further ones are counted. */
const MOST_ASSETS = 65_536;

type Kept = Pick<
  AssetRecord,
  'name' | 'kind' | 'bytes' | 'gpu_bytes' | 'encoded_bytes' | 'dims' | 'format'
>;

export class EarlierAssets {
  readonly #assets = new Map<AssetId, Kept>();
  #leftOut = 0;

  get isEmpty(): boolean {
    return this.#assets.size === 0;
  }

  /** Takes an event of before the start. Only what the asset has afterwards is kept of it. */
  loaded({
    id,
    name,
    kind,
    bytes,
    gpu_bytes,
    encoded_bytes,
    dims,
    format,
  }: Pick<AssetRecord, 'id'> & Kept): void {
    const before = this.#assets.get(id);
    if (before === undefined && this.#assets.size >= MOST_ASSETS) {
      this.#leftOut++;
      return;
    }
    this.#assets.set(id, {
      ...before,
      ...{ name, kind },
      ...(bytes !== undefined && { bytes }),
      ...(gpu_bytes !== undefined && { gpu_bytes }),
      ...(encoded_bytes !== undefined && { encoded_bytes }),
      ...(dims !== undefined && { dims }),
      ...(format !== undefined && { format }),
    });
  }

  /** Memory of an asset was freed before the start. An asset that has nothing left is forgotten. */
  released({ id, bytes, gpu_bytes }: Pick<ReleaseRecord, 'id' | 'bytes' | 'gpu_bytes'>): void {
    const before = this.#assets.get(id);
    if (before === undefined) return;
    const left = {
      ...before,
      ...(bytes !== undefined && { bytes }),
      ...(gpu_bytes !== undefined && { gpu_bytes }),
    };
    if ((left.bytes ?? 0) === 0 && (left.gpu_bytes ?? 0) === 0) this.#assets.delete(id);
    else this.#assets.set(id, left);
  }

  /** Returns a record at `t` 0 of each asset since the last call, and the number of assets that were left out. */
  take(): { readonly records: AssetRecord[]; readonly leftOut: number } {
    const records = Array.from(
      this.#assets,
      ([id, kept]): AssetRecord => ({ type: 'asset', t: 0, id, phase: 'named', ...kept }),
    );
    const leftOut = this.#leftOut;
    this.#assets.clear();
    this.#leftOut = 0;
    return { records, leftOut };
  }
}
