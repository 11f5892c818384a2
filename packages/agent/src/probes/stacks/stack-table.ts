// Builds call stacks as the growing tree of a trace: each record has the new names and nodes, and
// the samples.
import { roundMs, type StacksRecord } from '@svc/trace';

/** A function on a stack. The categories are in docs/vpt.md. "" is native code with a name. */
export type Frame = {
  /** At most NAME_CHARACTERS. */
  readonly name: string;
  readonly category: (typeof CATEGORIES)[number];
};
const CATEGORIES = ['', 'kernel', 'jit', 'unknown', 'main'] as const;

/** The weight of a sample: 1 s / 99, in units of 1/SCALE ms. It is off by 1 in 1,000,000. */
const WEIGHT = 10_101;
const SCALE = 1000;

/** How long a sample lasts. */
export const SAMPLE_MS: number = WEIGHT / SCALE;

/** The most characters in a frame's name. The code that creates frames cuts longer names. */
export const NAME_CHARACTERS = 1024;

/** The most nodes and names in one capture, about 100 MB. Stacks that need more are refused. */
const NODES = 1_048_576;

/**
 * A record ends with the stack that takes it past this size. One stack of 145 frames with names of
 * NAME_CHARACTERS adds less than this size again, and a line may have twice the sum.
 */
const RECORD_BYTES = 512 * 1024;

// The most bytes of one entry in a line: ids of 7 digits, the longest category, weights, times with
// 13 digits and 3 decimals, and commas.
const NODE_BYTES = 8 + 8 + 10;
const TIMED_BYTES = 8 + 6 + 18;
const MERGED_BYTES = 8 + 17;

/** The time span of samples without times, in trace milliseconds. */
export type Span = { readonly t: number; readonly durationMs: number };

type Pending = {
  names: string[];
  parents: number[];
  nodeNames: number[];
  categories: string[];
  /** The samples with times. They start in trace milliseconds. */
  timed: { readonly node: number; readonly startMs: number }[];
  /** The number of samples without times by node. */
  merged: Map<number, number>;
  bytes: number;
};

/** What a record defines, for the samples of this record and of later ones. */
type Definitions = Pick<
  StacksRecord,
  'first_name' | 'names' | 'first_node' | 'parents' | 'node_names' | 'categories'
>;

/** Collects samples. `take` returns them as records. */
export class StackTable {
  readonly #names = new Map<string, number>();
  /** Nodes by a key of parent, name and category. */
  readonly #nodes = new Map<number, number>();
  readonly #nodeLimit: number;
  readonly #full: Pending[] = [];
  #pending = emptyPending();

  constructor(nodeLimit: number = NODES) {
    this.#nodeLimit = nodeLimit;
  }

  /**
   * Adds samples of one stack, outermost frame first. `starts` has the trace time at which each
   * sample starts, or null if it is unknown. Returns false if the table has no room for the stack.
   */
  add(stack: Iterable<Frame>, starts: readonly (number | null)[]): boolean {
    let node = -1;
    for (const frame of stack) {
      const child = this.#child(node, frame);
      if (child === null) return false;
      node = child;
    }
    if (node === -1) return false;
    for (const start of starts) this.#addSample(node, start);
    return true;
  }

  #addSample(node: number, start: number | null): void {
    const { timed, merged } = this.#pending;
    if (start !== null) {
      timed.push({ node, startMs: start });
      this.#pending.bytes += TIMED_BYTES;
    } else {
      if (!merged.has(node)) this.#pending.bytes += MERGED_BYTES;
      merged.set(node, (merged.get(node) ?? 0) + 1);
    }
    if (this.#pending.bytes > RECORD_BYTES) this.#endRecord();
  }

  /**
   * The records of everything that was added since the last call. Empty if nothing was. `span` is
   * that of samples without times. A record of samples with times spans exactly these.
   */
  take(span: Span): StacksRecord[] {
    if (this.#pending.bytes > 0) this.#endRecord();
    const parts = this.#full.splice(0);
    let firstName = this.#names.size - sum(parts, ({ names }) => names.length);
    let firstNode = this.#nodes.size - sum(parts, ({ parents }) => parents.length);
    return parts.flatMap(({ names, parents, nodeNames, categories, timed, merged }) => {
      const before = { first_name: firstName, first_node: firstNode };
      const definitions = { ...before, names, parents, node_names: nodeNames, categories };
      firstName += names.length;
      firstNode += parents.length;
      if (timed.length === 0) return [mergedRecord(definitions, merged, span)];
      const record = timedRecord(definitions, timed);
      if (merged.size === 0) return [record];
      const none = { first_name: firstName, names: [], first_node: firstNode, parents: [] };
      return [record, mergedRecord({ ...none, node_names: [], categories: [] }, merged, span)];
    });
  }

  #child(parent: number, { name, category }: Frame): number | null {
    const known = this.#names.get(name);
    const found = known === undefined ? undefined : this.#nodes.get(keyOf(parent, known, category));
    if (found !== undefined) return found;
    const node = this.#nodes.size;
    if (node >= this.#nodeLimit) return null;
    const nameId = known ?? this.#newName(name);
    this.#nodes.set(keyOf(parent, nameId, category), node);
    this.#pending.parents.push(parent);
    this.#pending.nodeNames.push(nameId);
    this.#pending.categories.push(category);
    this.#pending.bytes += NODE_BYTES;
    return node;
  }

  #newName(name: string): number {
    const id = this.#names.size;
    this.#names.set(name, id);
    this.#pending.names.push(name);
    this.#pending.bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
    return id;
  }

  #endRecord(): void {
    this.#full.push(this.#pending);
    this.#pending = emptyPending();
  }
}

/** Exact as a number, because there are at most as many names as nodes: 2^20 · 2^20 · 4. */
function keyOf(parent: number, nameId: number, category: Frame['category']): number {
  return ((parent + 1) * NODES + nameId) * CATEGORIES.length + CATEGORIES.indexOf(category);
}

/** The samples must not be empty. The record has them in the order of their times. */
function timedRecord(definitions: Definitions, samples: Pending['timed']): StacksRecord {
  samples.sort((a, b) => a.startMs - b.startMs);
  const t = samples[0]?.startMs ?? 0;
  const at_ms = samples.map(({ startMs }) => roundMs(startMs - t));
  return {
    type: 'stacks',
    t,
    duration_ms: roundMs((at_ms.at(-1) ?? 0) + SAMPLE_MS),
    ...definitions,
    samples: { node: samples.map(({ node }) => node), weight: samples.map(() => WEIGHT), at_ms },
    unit: 'ms',
    scale: SCALE,
  };
}

function mergedRecord(
  definitions: Definitions,
  merged: Pending['merged'],
  { t, durationMs }: Span,
): StacksRecord {
  const weight = Array.from(merged.values(), (count) => count * WEIGHT);
  return {
    type: 'stacks',
    t,
    duration_ms: durationMs,
    ...definitions,
    samples: { node: [...merged.keys()], weight },
    unit: 'ms',
    scale: SCALE,
  };
}

function emptyPending(): Pending {
  return {
    names: [],
    parents: [],
    nodeNames: [],
    categories: [],
    timed: [],
    merged: new Map(),
    bytes: 0,
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
