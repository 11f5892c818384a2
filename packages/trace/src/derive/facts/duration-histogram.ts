// Counts durations in buckets whose width is a fixed share of their value, for percentiles of any number of frames.

/** A bucket is at most 1/256 of its value wide: the leading bits of a double are its exponent and the first bits of its fraction. */
const FRACTION_BITS = 8;
const BITS_LEFT_OUT = 20 - FRACTION_BITS;
/** Shorter durations are in one bucket. A clock of a browser has no finer steps. */
const SHORTEST_MS = 0.001;

type Bucket = { count: number; sum: number };

/** Count, sum and maximum are exact. Values from a percentile on are the averages of their buckets, within 0.4 %. */
export class DurationHistogram {
  readonly #buckets = new Map<number, Bucket>();
  readonly #double = new Float64Array(1);
  readonly #words = new Uint32Array(this.#double.buffer);
  count = 0;
  sum = 0;
  max = 0;

  add(duration: number): void {
    this.count++;
    this.sum += duration;
    this.max = Math.max(this.max, duration);
    const key = this.#keyOf(duration);
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, { count: 1, sum: duration });
    else {
      bucket.count++;
      bucket.sum += duration;
    }
  }

  /** Nearest rank. Null without durations. */
  percentile(percent: number): number | null {
    let left = Math.max(1, Math.ceil((percent * this.count) / 100 - 1e-9));
    for (const { count, sum } of this.#ascending()) {
      left -= count;
      if (left <= 0) return sum / count;
    }
    return null;
  }

  /** The average of the slowest `share` of the durations, at least one. Null without durations. */
  meanOfSlowest(share: number): number | null {
    if (this.count === 0) return null;
    const wanted = Math.max(1, Math.ceil(this.count * share - 1e-9));
    let left = wanted;
    let total = 0;
    for (const { count, sum } of this.#ascending().reverse()) {
      const taken = Math.min(left, count);
      total += (sum / count) * taken;
      left -= taken;
      if (left === 0) break;
    }
    return total / wanted;
  }

  #keyOf(duration: number): number {
    if (duration < SHORTEST_MS) return 0;
    this.#double[0] = duration;
    return (this.#words[LITTLE_ENDIAN ? 1 : 0] ?? 0) >>> BITS_LEFT_OUT;
  }

  #ascending(): Bucket[] {
    return [...this.#buckets].sort(([a], [b]) => a - b).map(([, bucket]) => bucket);
  }
}

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
