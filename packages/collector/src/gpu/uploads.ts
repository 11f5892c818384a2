// The GPU memory of assets: uploads and releases are summed here, so that not every call gets a record.
import { roundMs } from '@svc/trace/write';
import type { Asset, Assets } from '../assets/assets.ts';
import type { Sink } from '../sink/sink.ts';

/** Uploads of an asset in one frame that take longer than this get their own record. */
const OWN_RECORD_MS = 0.25;
/** Uploads within a second that take less than this are added to a later record. */
const RECORDED_MS = 0.05;

/** What an asset released since the last record: the number of objects, when the last was deleted, and the asset's memory then. */
type Freed = { count: number; at: number; left: number };

export class Uploads {
  readonly #assets: Assets;
  readonly #sink: Sink;
  /** Assets whose uploads or releases are not recorded yet. */
  readonly #waiting: Asset[] = [];
  readonly #freed = new Map<Asset, Freed>();
  #isUsed = false;

  constructor(assets: Assets) {
    this.#assets = assets;
    this.#sink = assets.sink;
    this.#sink.collects.push((all) => this.#collect(all));
  }

  /** Adds main-thread time and a change of GPU memory to the uploads of an asset. */
  add(asset: Asset, at: number, ms: number, gpuBytes: number): void {
    const { frame } = this.#sink;
    if (asset.waiting && asset.upFrame !== frame && asset.upMs >= OWN_RECORD_MS) this.#write(asset);
    if (asset.upMs === 0 || asset.upFrame !== frame) asset.upAt = at;
    asset.upFrame = frame;
    asset.upMs += ms;
    asset.mainMs += ms;
    asset.gpuBytes += gpuBytes;
    this.#assets.gpuBytes += gpuBytes;
    if (asset.waiting) return;
    asset.waiting = true;
    this.#waiting.push(asset);
  }

  /** Moves GPU memory from one asset to another. The upload time moves too if `from` is numbered and has no record yet. */
  move(from: Asset, to: Asset, gpuBytes: number): void {
    const unrecorded = from.standing === 'numbered' && !from.isRecorded;
    this.add(to, from.upAt, unrecorded ? from.upMs : 0, gpuBytes);
    this.add(from, from.upAt, unrecorded ? -from.upMs : 0, -gpuBytes);
  }

  /** Records that the game deleted an object of an asset. */
  release(asset: Asset, at: number, ms: number, gpuBytes: number): void {
    this.add(asset, at, ms, -gpuBytes);
    const count = (this.#freed.get(asset)?.count ?? 0) + 1;
    this.#freed.set(asset, { count, at, left: asset.gpuBytes });
  }

  #collect(all: boolean): void {
    const { length } = this.#waiting;
    let kept = 0;
    for (let at = 0; at < length; at++) {
      const asset = this.#waiting[at];
      if (asset === undefined) continue;
      this.#record(asset, all);
      if (asset.upMs > 0) this.#waiting[kept++] = asset;
      else asset.waiting = false;
    }
    this.#waiting.length = kept;
    this.#freed.clear();
    const { gpuBytes } = this.#assets;
    this.#isUsed ||= gpuBytes > 0;
    if (this.#isUsed) this.#sink.count('gpu_bytes', 'bytes', gpuBytes);
  }

  /**
   * Writes what is new about an asset. A release states the memory after it, and an upload that after all uploads. If an
   * upload began before the release, only the latter is known.
   */
  #record(asset: Asset, all: boolean): void {
    const freed = this.#freed.get(asset);
    const before = asset.gpuRecorded;
    const left = freed !== undefined && asset.upAt > freed.at ? freed.left : asset.gpuBytes;
    const reported = freed !== undefined && asset.isRecorded ? left : before;
    if (asset.upMs >= RECORDED_MS || asset.gpuBytes !== reported || (all && asset.upMs > 0)) {
      this.#write(asset);
    }
    if (freed === undefined || !asset.isRecorded) return;
    const { count, at } = freed;
    this.#sink.write({
      type: 'release',
      t: this.#sink.since(at),
      id: asset.id,
      ...(count > 1 && { count }),
      ...((before > 0 || left > 0) && { gpu_bytes: left }),
    });
    asset.gpuRecorded = asset.gpuBytes;
  }

  /** Writes one record of all uploads since the last record. */
  #write(asset: Asset): void {
    const ms = roundMs(asset.upMs);
    this.#sink.write({
      type: 'asset',
      t: this.#sink.since(asset.upAt),
      id: asset.id,
      name: asset.name,
      kind: asset.kind,
      phase: 'upload',
      gpu_bytes: asset.gpuBytes,
      ...(ms > 0 && { duration_ms: ms, main_thread_ms: ms }),
      ...(asset.dims !== null && { dims: asset.dims }),
      ...(asset.format !== '' && { format: asset.format }),
    });
    asset.isRecorded = true;
    asset.gpuRecorded = asset.gpuBytes;
    asset.upMs = 0;
  }
}
