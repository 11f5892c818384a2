// The numbers that the overlay shows, computed from the recording.
import { ASSET_WEIGHTS } from '@svc/trace';
import type { Asset } from '../assets/assets.ts';

const MIB = 1_048_576;

/** Frame durations of the last few seconds, in a ring buffer of fixed size. */
export class RecentFrames {
  readonly #ring: Float64Array<ArrayBuffer>;
  readonly #sorted: Float64Array<ArrayBuffer>;
  #next = 0;
  #filled = 0;

  constructor(room: number) {
    this.#ring = new Float64Array(room);
    this.#sorted = new Float64Array(room);
  }

  get count(): number {
    return this.#filled;
  }

  add(ms: number): void {
    this.#ring[this.#next] = ms;
    this.#next++;
    if (this.#next === this.#ring.length) this.#next = 0;
    if (this.#filled < this.#ring.length) this.#filled++;
  }

  /** Replaces all frames with those in ring buffer `recent`, up to but not including frame `to`. */
  take(recent: Float64Array, to: number): void {
    this.#next = 0;
    this.#filled = 0;
    const most = Math.min(this.#ring.length, recent.length);
    for (let frame = Math.max(0, to - most); frame < to; frame++) {
      const ms = recent[frame % recent.length] ?? 0;
      if (ms > 0) this.add(ms);
    }
  }

  /** The duration of the frame `back` frames ago; 0 is the newest. */
  at(back: number): number {
    return this.#ring[(this.#next - 1 - back + 2 * this.#ring.length) % this.#ring.length] ?? 0;
  }

  /** 1000 ÷ mean frame time; 0 without frames. */
  fps(): number {
    let sum = 0;
    for (let back = 0; back < this.#filled; back++) sum += this.at(back);
    return sum > 0 ? (1000 * this.#filled) / sum : 0;
  }

  /** The frame time that `share` of the frames do not exceed, by nearest rank; 0 without frames. */
  percentile(share: number): number {
    for (let back = 0; back < this.#filled; back++) this.#sorted[back] = this.at(back);
    const sorted = this.#sorted.subarray(0, this.#filled).sort();
    return sorted[Math.max(0, Math.ceil(share * this.#filled) - 1)] ?? 0;
  }
}

/**
 * The cost of an asset so far in frame budgets, by the weights of the asset cost report. Hitches are not included, because only
 * the report can divide them among assets.
 */
export function costOf(asset: Asset, budgetMs: number): number {
  return (
    (asset.mainMs / budgetMs) * ASSET_WEIGHTS.main_thread_per_budget +
    (asset.bytes / MIB) * ASSET_WEIGHTS.memory_per_mib +
    (asset.gpuBytes / MIB) * ASSET_WEIGHTS.gpu_memory_per_mib
  );
}

/** The `most` costliest assets, costliest first. */
export function heaviest(assets: readonly Asset[], most: number, budgetMs: number): Asset[] {
  const top: Asset[] = [];
  const costs: number[] = [];
  for (const asset of assets) {
    const cost = costOf(asset, budgetMs);
    if (cost <= 0 || (top.length === most && cost <= (costs.at(-1) ?? 0))) continue;
    let at = top.length;
    while (at > 0 && (costs[at - 1] ?? 0) < cost) at--;
    top.splice(at, 0, asset);
    costs.splice(at, 0, cost);
    top.length = costs.length = Math.min(top.length, most);
  }
  return top;
}

/** Formats milliseconds: 7.3 ms, 250 ms, 1.2 s. */
export function formatMs(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms.toFixed(ms >= 100 ? 0 : 1)} ms`;
}
