// Exact sums of integers by index: doubles while they are safe, bigints beyond 2^53. All sums of weights use this module.

/** An exact integer: a number if it is safe, otherwise a bigint. */
export type Exact = number | bigint;

/** Sums that start at 0. `values` has the nearest doubles, for drawing. `at` is exact, for text. */
export class ExactColumn {
  values: Float64Array<ArrayBuffer>;
  readonly #big = new Map<number, bigint>();

  constructor(length: number) {
    this.values = new Float64Array(length);
  }

  /** Whether every value is a safe integer, so that `values` is exact. */
  get isSafe(): boolean {
    return this.#big.size === 0;
  }

  /** Whether every subset of the values has a safe sum, so that plain additions are exact. */
  get addsUpSafely(): boolean {
    if (!this.isSafe) return false;
    let sum = 0;
    for (let i = 0; i < this.values.length; i++) sum += Math.abs(this.values[i] ?? 0);
    return sum <= Number.MAX_SAFE_INTEGER;
  }

  at(index: number): Exact {
    return this.#big.get(index) ?? this.values[index] ?? 0;
  }

  add(index: number, value: Exact): void {
    if (typeof value === 'number' && (this.#big.size === 0 || !this.#big.has(index))) {
      const sum = (this.values[index] ?? 0) + value;
      if (Number.isSafeInteger(sum)) {
        this.values[index] = sum;
        return;
      }
    }
    this.set(index, BigInt(this.at(index)) + BigInt(value));
  }

  set(index: number, value: Exact): void {
    const slim = toSmallest(value);
    if (typeof slim === 'number') this.#big.delete(index);
    else this.#big.set(index, slim);
    this.values[index] = Number(slim);
  }

  /** Changes the length. New values are 0. */
  resize(length: number): void {
    if (length === this.values.length) return;
    const grown = new Float64Array(length);
    grown.set(this.values.subarray(0, length));
    this.values = grown;
  }

  /** A copy of the first `length` values. */
  copy(length: number): ExactColumn {
    const column = new ExactColumn(0);
    column.values = this.values.slice(0, length);
    for (const [index, value] of this.#big) if (index < length) column.#big.set(index, value);
    return column;
  }

  /** Plain data that can be sent to another thread; `unpack` reverses it. Shares the array. */
  pack(): PackedColumn {
    return { values: this.values, big: [...this.#big] };
  }

  static unpack({ values, big }: PackedColumn): ExactColumn {
    const column = new ExactColumn(0);
    column.values = values;
    for (const [index, value] of big) column.#big.set(index, value);
    return column;
  }

  /** Multiplies every value, to change to a finer scale. */
  multiply(factor: bigint): void {
    for (let i = 0; i < this.values.length; i++) {
      if (this.values[i] !== 0) this.set(i, times(this.at(i), factor));
    }
  }
}

/** A column as plain data. `big` has the values beyond 2^53 by index. */
export type PackedColumn = {
  readonly values: Float64Array<ArrayBuffer>;
  readonly big: readonly (readonly [number, bigint])[];
};

export function plus(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return toSmallest(BigInt(a) + BigInt(b));
}

export function times(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return toSmallest(BigInt(a) * BigInt(b));
}

/** Converts a bigint to a number if it is safe. */
export function toSmallest(value: Exact): Exact {
  if (typeof value === 'number') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Ten to a power, exactly. */
export function powerOfTen(exponent: number): Exact {
  return exponent <= 15 ? 10 ** exponent : 10n ** BigInt(exponent);
}

/** `value / 10^decimals` as a plain decimal number without trailing zeros: `-12.5`, `1000000000000000000000`. */
export function formatDecimal(value: Exact, decimals: number): string {
  const digits = String(value)
    .replace('-', '')
    .padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return value < 0 ? `-${text}` : text;
}

/** A sum of values with different decimals, at the finest scale so far. */
export class DecimalSum {
  value: Exact = 0;
  decimals = 0;

  add(value: Exact, decimals: number): void {
    if (decimals > this.decimals) {
      this.value = times(this.value, powerOfTen(decimals - this.decimals));
      this.decimals = decimals;
    }
    const scaled =
      decimals === this.decimals ? value : times(value, powerOfTen(this.decimals - decimals));
    this.value = plus(this.value, scaled);
  }

  toString(): string {
    return formatDecimal(this.value, this.decimals);
  }
}

/** The exact value of a weight in a record. */
export function exactOf(weight: number | string): Exact {
  return typeof weight === 'number' ? weight : toSmallest(BigInt(weight));
}

/** The number of decimals of a record's `scale`, which is a power of ten. */
export function decimalsOf(scale: number | string | undefined): number {
  return String(scale ?? 1).length - 1;
}
