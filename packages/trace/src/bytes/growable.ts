// Typed arrays that grow by doubling: columns whose length is known only at the end.

/** Integers of 32 bits. `values` is longer than `length`; it is another array after a push that grew it. */
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

  /** Makes room for `length` values; what is new is 0. */
  reserve(length: number): void {
    if (length <= this.values.length) return;
    const grown = new Int32Array(Math.max(length, this.values.length * 2));
    grown.set(this.values);
    this.values = grown;
  }

  /** The values alone, copied. */
  trimmed(): Int32Array<ArrayBuffer> {
    return this.values.slice(0, this.length);
  }
}

/** Doubles, otherwise as Int32List. */
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

  /** Appends `count` values; NaN where one is null or there are none. */
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
