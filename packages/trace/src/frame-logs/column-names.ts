// Finds the columns of a frame log by their names, and reads their cells.

/** No tool writes a larger number, and products of smaller ones are finite. */
const LARGEST = 1e18;

/** The number in a cell. NaN if it is empty, missing, beyond 10^18 or no number, such as "NA". */
export function numberIn(cell: string | undefined): number {
  const number = cell === undefined || cell === '' ? Number.NaN : Number(cell);
  return Math.abs(number) <= LARGEST ? number : Number.NaN;
}

/** The columns of a header. Case, blanks and hyphens of a name do not matter. The first of two columns with one name counts. */
export class ColumnNames {
  readonly #indices = new Map<string, number>();

  constructor(header: readonly string[]) {
    for (const [index, name] of header.entries()) {
      const key = keyOf(name);
      if (!this.#indices.has(key)) this.#indices.set(key, index);
    }
  }

  /** The index of the first of these names that the header has, or −1. */
  indexOf(...names: readonly string[]): number {
    for (const name of names) {
      const index = this.#indices.get(keyOf(name));
      if (index !== undefined) return index;
    }
    return -1;
  }

  /** Whether the header has all of these names. */
  has(...names: readonly string[]): boolean {
    return names.every((name) => this.#indices.has(keyOf(name)));
  }
}

function keyOf(name: string): string {
  return name.replaceAll(/[\s-]/g, '').toLowerCase();
}
