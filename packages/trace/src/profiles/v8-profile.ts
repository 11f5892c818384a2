// The nodes and samples of one V8 CPU profile, in columns. V8 writes them whole in a `.cpuprofile`, and in chunks in a Chrome trace.

import { Float64List } from '../bytes/growable.ts';
import { LATEST_T_MS } from '../format/limits.ts';
import { fieldsOf, numberOf } from './json-fields.ts';
import { type NamedFrame, nameFrame } from './name-frame.ts';

/** Samples in order of time. */
export type TimedSamples = {
  /** µs after the origin, ascending, whole numbers. */
  readonly at: Float64Array;
  /** Whole µs until the next sample. */
  readonly weight: Float64Array;
  /** The index of the node. */
  readonly node: Float64Array;
};

const LATEST_US = LATEST_T_MS * 1000;

export class V8Profile {
  /** The time of the start on the clock of the file, in µs. NaN if unknown. */
  start = Number.NaN;
  /** The time of the end on the same clock. NaN if unknown. */
  end = Number.NaN;
  readonly #index = new Map<number, number>();
  readonly #frames: NamedFrame[] = [];
  readonly #parentIds = new Float64List(64);
  /** Pairs of a node and the id of its child. */
  readonly #children = new Float64List(64);
  readonly #sampled = new Float64List(64);
  readonly #deltas = new Float64List(64);
  #unreadable = 0;

  /** Nodes and samples that could not be read. */
  get unreadable(): number {
    return this.#unreadable;
  }

  get samples(): number {
    return Math.min(this.#sampled.length, this.#deltas.length);
  }

  frame(node: number): NamedFrame | undefined {
    return this.#frames[node];
  }

  /** Adds a node: `id`, `callFrame`, and its `parent` or its `children`. Of two nodes with one id, the first counts. */
  addNode(value: unknown): void {
    const { id: rawId, callFrame, parent, children } = fieldsOf(value);
    const id = numberOf(rawId);
    if (Number.isNaN(id) || this.#index.has(id)) {
      this.#unreadable++;
      return;
    }
    const node = this.#frames.length;
    this.#index.set(id, node);
    this.#frames.push(nameFrame(callFrame));
    this.#parentIds.push(numberOf(parent));
    if (!Array.isArray(children)) return;
    for (const child of children) {
      this.#children.push(node);
      this.#children.push(numberOf(child));
    }
  }

  /** Counts something of the profile that could not be read. */
  skip(count = 1): void {
    this.#unreadable += count;
  }

  /** Adds a sample by the id of its node, which may be added later. */
  addSample(id: number): void {
    this.#sampled.push(id);
  }

  /** Adds the time in µs between the sample before and the next one without a time. The first is since `start`. */
  addDelta(delta: number): void {
    this.#deltas.push(delta);
  }

  /** The parent of each node, or −1. Cycles are possible. */
  parents(): Int32Array {
    const parents = new Int32Array(this.#frames.length);
    for (let node = 0; node < parents.length; node++) {
      parents[node] = this.#nodeOf(this.#parentIds.values[node] ?? Number.NaN);
    }
    for (let i = 0; i < this.#children.length; i += 2) {
      const child = this.#nodeOf(this.#children.values[i + 1] ?? Number.NaN);
      if (child >= 0 && parents[child] === -1) parents[child] = this.#children.values[i] ?? -1;
    }
    return parents;
  }

  /**
   * The samples in order of time, with times after `origin`. V8 records the time between samples, which is negative if a sample
   * was stored late. A sample lasts until the next one, and the last one until the end of the profile. Samples before the
   * origin begin there. Samples of unknown nodes or beyond the last time of the format count as unreadable.
   */
  timedSamples(origin: number): TimedSamples {
    const count = this.samples;
    this.#unreadable += this.#sampled.length - count;
    const times = new Float64Array(count);
    const nodes = new Float64Array(count);
    let kept = 0;
    let clock = this.start - origin;
    let isSorted = true;
    for (let i = 0; i < count; i++) {
      clock += this.#deltas.values[i] ?? 0;
      const at = Math.max(0, Math.round(clock));
      const node = this.#nodeOf(this.#sampled.values[i] ?? Number.NaN);
      if (node < 0 || !(at <= LATEST_US)) {
        this.#unreadable++;
        continue;
      }
      isSorted &&= kept === 0 || at >= (times[kept - 1] ?? 0);
      times[kept] = at;
      nodes[kept++] = node;
    }
    const order = Uint32Array.from({ length: kept }, (_, i) => i);
    if (!isSorted) order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
    const end = Math.min(LATEST_US, Math.round(this.end - origin));
    const at = Float64Array.from(order, (i) => times[i] ?? 0);
    return {
      at,
      node: Float64Array.from(order, (i) => nodes[i] ?? 0),
      weight: at.map((time, i) => Math.max(0, (at[i + 1] ?? (end || time)) - time)),
    };
  }

  #nodeOf(id: number): number {
    return this.#index.get(id) ?? -1;
  }
}
