// The mean of each second of the other columns of a frame log. A value for each frame would be many times the size of the log.

const SECOND_MS = 1000;

/** `row` is the index of the first frame of the second. `means[column]` is absent or NaN if the column has no value there. */
export type SecondMean = { readonly row: number; readonly means: readonly number[] };

export class SecondMeans {
  readonly #seconds: SecondMean[] = [];
  /** The first frame of the second. Null before it. */
  #row: number | null = null;
  #ms = 0;
  #sums: number[] = [];
  #counts: number[] = [];

  /** Adds the values of frame `row`, which took `ms`. NaN values are left out. */
  add(row: number, ms: number, values: readonly number[]): void {
    this.#row ??= row;
    for (const [column, value] of values.entries()) {
      if (Number.isNaN(value)) continue;
      this.#sums[column] = (this.#sums[column] ?? 0) + value;
      this.#counts[column] = (this.#counts[column] ?? 0) + 1;
    }
    this.#ms += ms;
    if (this.#ms >= SECOND_MS) this.#flush(this.#row);
  }

  /** The means of all seconds in order of time. */
  finish(): readonly SecondMean[] {
    if (this.#row !== null) this.#flush(this.#row);
    return this.#seconds;
  }

  #flush(row: number): void {
    const means = Array.from(this.#sums, (sum, column) => (sum ?? 0) / (this.#counts[column] ?? 0));
    this.#seconds.push({ row, means });
    this.#row = null;
    this.#sums = [];
    this.#counts = [];
    this.#ms = 0;
  }
}
