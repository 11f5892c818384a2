// Typed arrays that grow by doubling, for columns whose length is not known in advance.

/** 32-bit integers. `values` may be longer than `length`, and is replaced when the list grows. */
export class Int32List {
  values: Int32Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.values = new Int32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(this.length + 1);
    this.values[this.length++] = value;
  }

  /** Makes room for `length` values. New values are 0. */
  reserve(length: number): void {
    if (length <= this.values.length) return;
    const grown = new Int32Array(Math.max(length, this.values.length * 2));
    grown.set(this.values);
    this.values = grown;
  }

  /** A copy of the first `length` values. */
  trimmed(): Int32Array<ArrayBuffer> {
    return this.values.slice(0, this.length);
  }
}

/** The same as Int32List for doubles. */
export class Float64List {
  values: Float64Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.values = new Float64Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(this.length + 1);
    this.values[this.length++] = value;
  }

  /** Appends `count` values. A null, and every value of an undefined column, becomes NaN. */
  append(values: readonly (number | null)[] | undefined, count: number): void {
    const start = this.length;
    this.reserve(start + count);
    this.length += count;
    if (values === undefined) this.values.fill(Number.NaN, start, this.length);
    else for (let i = 0; i < count; i++) this.values[start + i] = values[i] ?? Number.NaN;
  }

  /** Makes room for `length` values. */
  reserve(length: number): void {
    if (length <= this.values.length) return;
    const grown = new Float64Array(Math.max(length, this.values.length * 2));
    grown.set(this.values);
    this.values = grown;
  }

  trimmed(): Float64Array<ArrayBuffer> {
    return this.values.slice(0, this.length);
  }
}
