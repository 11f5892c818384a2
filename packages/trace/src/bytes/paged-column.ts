// Columns of numbers that grow by pages. Nothing is copied when they grow, and unused pages take no memory.

const PAGE_BITS = 14;
const PAGE_ROWS = 1 << PAGE_BITS;
const IN_PAGE = PAGE_ROWS - 1;

/** Doubles by row. A value that was not set is 0. */
export class FloatColumn {
  readonly #pages: (Float64Array | undefined)[] = [];

  get(row: number): number {
    return this.#pages[row >>> PAGE_BITS]?.[row & IN_PAGE] ?? 0;
  }

  set(row: number, value: number): void {
    const index = row >>> PAGE_BITS;
    let page = this.#pages[index];
    if (page === undefined) {
      page = new Float64Array(PAGE_ROWS);
      this.#pages[index] = page;
    }
    page[row & IN_PAGE] = value;
  }

  add(row: number, value: number): void {
    this.set(row, this.get(row) + value);
  }
}

/** The same as FloatColumn for 32-bit integers. */
export class IntColumn {
  readonly #pages: (Int32Array | undefined)[] = [];

  get(row: number): number {
    return this.#pages[row >>> PAGE_BITS]?.[row & IN_PAGE] ?? 0;
  }

  set(row: number, value: number): void {
    const index = row >>> PAGE_BITS;
    let page = this.#pages[index];
    if (page === undefined) {
      page = new Int32Array(PAGE_ROWS);
      this.#pages[index] = page;
    }
    page[row & IN_PAGE] = value;
  }
}
