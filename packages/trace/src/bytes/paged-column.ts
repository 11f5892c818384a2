// Columns of numbers that grow by pages. Nothing is copied when they grow, and unused pages take no memory.

const PAGE_BITS = 14;
const PAGE_ROWS = 1 << PAGE_BITS;
const IN_PAGE = PAGE_ROWS - 1;

/** Numbers by row. A value that was not set is 0. */
class PagedColumn<Page extends Float64Array | Int32Array> {
  readonly #pages: (Page | undefined)[] = [];
  readonly #Page: new (
    rows: number,
  ) => Page;

  constructor(Page: new (rows: number) => Page) {
    this.#Page = Page;
  }

  get(row: number): number {
    return this.#pages[row >>> PAGE_BITS]?.[row & IN_PAGE] ?? 0;
  }

  set(row: number, value: number): void {
    const index = row >>> PAGE_BITS;
    let page = this.#pages[index];
    if (page === undefined) {
      page = new this.#Page(PAGE_ROWS);
      this.#pages[index] = page;
    }
    page[row & IN_PAGE] = value;
  }

  add(row: number, value: number): void {
    this.set(row, this.get(row) + value);
  }
}

/** Doubles by row. */
export class FloatColumn extends PagedColumn<Float64Array> {
  constructor() {
    super(Float64Array);
  }
}

/** 32-bit integers by row. */
export class IntColumn extends PagedColumn<Int32Array> {
  constructor() {
    super(Int32Array);
  }
}
