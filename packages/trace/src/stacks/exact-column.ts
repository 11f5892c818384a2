// Exact sums of integers by index: doubles while they are safe, bigints past 2^53. Weights are summed nowhere else.

/** An exact integer: a safe number, or a bigint beyond. */
export type Exact = number | bigint;

/** Sums that start at 0. Reading `values` gives the nearest doubles, for drawing; `at` is exact, for text. */
export class ExactColumn {
  values: Float64Array<ArrayBuffer>;
  readonly #big = new Map<number, bigint>();

  constructor(length: number) {
    this.values = new Float64Array(length);
  }

  /** True when every value is a safe integer, so that `values` is exact. */
  get isSafe(): boolean {
    return this.#big.size === 0;
  }

  /** True when any of the values add up to a safe integer, so that plain additions are exact. */
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
    const slim = slimmed(value);
    if (typeof slim === 'number') this.#big.delete(index);
    else this.#big.set(index, slim);
    this.values[index] = Number(slim);
  }

  /** Makes room; what is new is 0. */
  resize(length: number): void {
    if (length === this.values.length) return;
    const grown = new Float64Array(length);
    grown.set(this.values.subarray(0, length));
    this.values = grown;
  }

  /** The first `length` values, in a column of their own. */
  copy(length: number): ExactColumn {
    const column = new ExactColumn(0);
    column.values = this.values.slice(0, length);
    for (const [index, value] of this.#big) if (index < length) column.#big.set(index, value);
    return column;
  }

  /** What may be sent to another thread; `unpack` makes it a column again. Shares the array. */
  pack(): PackedColumn {
    return { values: this.values, big: [...this.#big] };
  }

  static unpack({ values, big }: PackedColumn): ExactColumn {
    const column = new ExactColumn(0);
    column.values = values;
    for (const [index, value] of big) column.#big.set(index, value);
    return column;
  }

  /** Multiplies every value, when a finer scale comes up. */
  multiply(factor: bigint): void {
    for (let i = 0; i < this.values.length; i++) {
      if (this.values[i] !== 0) this.set(i, times(this.at(i), factor));
    }
  }
}

/** A column as plain data: values past 2^53 stand in `big` by index. */
export type PackedColumn = {
  readonly values: Float64Array<ArrayBuffer>;
  readonly big: readonly (readonly [number, bigint])[];
};

export function plus(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return slimmed(BigInt(a) + BigInt(b));
}

export function times(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return slimmed(BigInt(a) * BigInt(b));
}

/** The number where it is safe, else the bigint. */
export function slimmed(value: Exact): Exact {
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

/** A sum of values with different decimals, kept at the finest scale that came up. */
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

/** A weight as it stands in a record, exactly. */
export function exactOf(weight: number | string): Exact {
  return typeof weight === 'number' ? weight : slimmed(BigInt(weight));
}

/** How many decimals a record's `scale` (a power of ten) stands for. */
export function decimalsOf(scale: number | string | undefined): number {
  return String(scale ?? 1).length - 1;
}
