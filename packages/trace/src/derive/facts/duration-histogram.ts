// Counts durations in buckets whose width is a fixed share of their value, for percentiles of any number of frames.

/** A bucket is at most 1/256 of its value wide: the leading bits of a double are its exponent and the first bits of its fraction. */
const FRACTION_BITS = 8;
const BITS_LEFT_OUT = 20 - FRACTION_BITS;
/** The exponents of doubles from about 0.001, the finest step of a browser's clock, to 2^53. Other values are in the buckets at the ends. */
const FIRST_EXPONENT = 1013;
const LAST_EXPONENT = 1076;
const FIRST_KEY = FIRST_EXPONENT << FRACTION_BITS;
const BUCKETS = (LAST_EXPONENT - FIRST_EXPONENT) << FRACTION_BITS;

/** Count, sum and maximum are exact. Values from a percentile on are the averages of their buckets, within 0.4 %. */
export class DurationHistogram {
  readonly #counts = new Float64Array(BUCKETS);
  readonly #sums = new Float64Array(BUCKETS);
  readonly #double = new Float64Array(1);
  readonly #words = new Uint32Array(this.#double.buffer);
  count = 0;
  sum = 0;
  max = 0;

  add(duration: number): void {
    this.count++;
    this.sum += duration;
    if (duration > this.max) this.max = duration;
    const at = this.#bucketOf(duration);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sums[at] = (this.#sums[at] ?? 0) + duration;
  }

  /** Nearest rank. Null without durations. */
  percentile(percent: number): number | null {
    let left = Math.max(1, Math.ceil((percent * this.count) / 100 - 1e-9));
    for (const [at, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return (this.#sums[at] ?? 0) / count;
    }
    return null;
  }

  /** The average of the slowest `share` of the durations, at least one. Null without durations. */
  meanOfSlowest(share: number): number | null {
    if (this.count === 0) return null;
    const wanted = Math.max(1, Math.ceil(this.count * share - 1e-9));
    let left = wanted;
    let total = 0;
    for (let at = BUCKETS - 1; left > 0; at--) {
      const count = this.#counts[at] ?? 0;
      if (count === 0) continue;
      const taken = Math.min(left, count);
      total += ((this.#sums[at] ?? 0) / count) * taken;
      left -= taken;
    }
    return total / wanted;
  }

  #bucketOf(duration: number): number {
    this.#double[0] = duration;
    const key = (this.#words[HIGH_WORD] ?? 0) >>> BITS_LEFT_OUT;
    return Math.min(BUCKETS - 1, Math.max(0, key - FIRST_KEY));
  }
}

/** The half of a double with its exponent, by the byte order of the machine. */
const HIGH_WORD = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;
