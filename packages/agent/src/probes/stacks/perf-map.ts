// Reads the names of code that a process has compiled itself. Runtimes append them to
// /tmp/perf-PID.map and never remove one.
// https://github.com/torvalds/linux/blob/master/tools/perf/Documentation/jit-interface.txt
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { BoundedLines } from '../bounded-lines.ts';

/** A map is not read beyond this number of functions or bytes. */
const MAP_ENTRIES = 262_144;
const MAP_BYTES = 64 * 1024 * 1024;

/**
 * How many functions that start before an address are checked. Freed code may overlap with new
 * code.
 */
const NEIGHBOURS = 32;

const ENTRY = /^(?:0x)?([\da-f]{1,12}) (?:0x)?([\da-f]{1,8}) (.*\S)/;

type Entry = {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly order: number;
};

/**
 * A live map. The user of the target process writes the file, so it is untrusted and only read up
 * to the limits.
 */
export class PerfMap {
  readonly #paths: readonly string[];
  readonly #owners: readonly number[];
  /** Entries by start address. The same code is often reported again. */
  readonly #entries = new Map<number, Entry>();
  readonly #lines = new BoundedLines((text) => this.#take(text));
  #sorted: Entry[] | null = null;
  #descriptor: number | null = null;
  #position = 0;
  #order = 0;

  /** Reads the first of `paths` that is a regular file of one of the `owners` (user ids). */
  constructor(paths: readonly string[], owners: readonly number[]) {
    this.#paths = paths;
    this.#owners = owners;
  }

  /** Reads what was appended since the last call. */
  refresh(): void {
    this.#descriptor ??= this.#open();
    if (this.#descriptor === null) return;
    const chunk = Buffer.allocUnsafe(64 * 1024);
    while (this.#position < MAP_BYTES && this.#order < MAP_ENTRIES) {
      const got = readSync(this.#descriptor, chunk, 0, chunk.length, this.#position);
      if (got === 0) return;
      this.#position += got;
      this.#lines.push(chunk.subarray(0, got));
    }
  }

  /**
   * The function at an address. If several overlap there, the one reported last. Null if there is
   * none.
   */
  nameAt(address: number): string | null {
    this.#sorted ??= [...this.#entries.values()].sort((a, b) => a.start - b.start);
    const sorted = this.#sorted;
    let found: Entry | null = null;
    const last = lastAtOrBelow(sorted, address);
    for (let i = last; i >= 0 && i > last - NEIGHBOURS; i--) {
      const entry = sorted[i];
      if (entry === undefined || address >= entry.end) continue;
      if (found === null || entry.order > found.order) found = entry;
    }
    return found?.name ?? null;
  }

  release(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
    this.#position = MAP_BYTES;
  }

  #take(text: string): void {
    const [, start = '', size = '', name] = ENTRY.exec(text) ?? [];
    if (name === undefined) return;
    const from = Number.parseInt(start, 16);
    const end = from + Number.parseInt(size, 16);
    this.#entries.set(from, { start: from, end, name, order: this.#order++ });
    this.#sorted = null;
  }

  #open(): number | null {
    for (const path of this.#paths) {
      const descriptor = openPlainFile(path, this.#owners);
      if (descriptor !== null) return descriptor;
    }
    return null;
  }
}

/** Opens a regular file. A symbolic link could lead elsewhere, and a pipe could block. */
function openPlainFile(path: string, owners: readonly number[]): number | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const file = fstatSync(descriptor);
    if (file.isFile() && owners.includes(file.uid)) return descriptor;
    closeSync(descriptor);
  } catch {
    // the file does not exist, or not yet
  }
  return null;
}

function lastAtOrBelow(sorted: readonly Entry[], address: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.start ?? 0) <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
