// Builds call stacks as the growing tree of a trace: each record has the new names and nodes, and
// the samples.
import type { StacksRecord } from '@svc/trace';

/** A function on a stack. The categories are in docs/vpt.md. "" is native code with a name. */
export type Frame = {
  /** At most NAME_CHARACTERS. */
  readonly name: string;
  readonly category: (typeof CATEGORIES)[number];
};
const CATEGORIES = ['', 'kernel', 'jit', 'unknown'] as const;

/** The most characters in a frame's name. The code that creates frames cuts longer names. */
export const NAME_CHARACTERS = 1024;

/** The most nodes and names in one capture, about 100 MB. Stacks that need more are refused. */
const NODES = 1_048_576;

/**
 * A record ends with the stack that takes it past this size. One stack of 145 frames with names of
 * NAME_CHARACTERS adds less than this size again, and a line may have twice the sum.
 */
const RECORD_BYTES = 512 * 1024;

// The most bytes of one entry in a line: ids of 7 digits, the longest category, and commas.
const NODE_BYTES = 8 + 8 + 10;
const SAMPLE_BYTES = 8 + 12;

/** The time span of samples, in trace milliseconds. */
export type Span = { readonly t: number; readonly durationMs: number };

type Pending = {
  names: string[];
  parents: number[];
  nodeNames: number[];
  categories: string[];
  /** Weight by node. */
  samples: Map<number, number>;
  bytes: number;
};

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
   * Adds samples of one stack, outermost frame first. Returns false if the table has no room for
   * it.
   */
  add(stack: Iterable<Frame>, weight: number): boolean {
    let node = -1;
    for (const frame of stack) {
      const child = this.#child(node, frame);
      if (child === null) return false;
      node = child;
    }
    if (node === -1) return false;
    const { samples } = this.#pending;
    if (!samples.has(node)) this.#pending.bytes += SAMPLE_BYTES;
    samples.set(node, (samples.get(node) ?? 0) + weight);
    if (this.#pending.bytes > RECORD_BYTES) this.#endRecord();
    return true;
  }

  /** The records of everything that was added since the last call. Empty if nothing was. */
  take({ t, durationMs }: Span): StacksRecord[] {
    if (this.#pending.bytes > 0) this.#endRecord();
    const parts = this.#full.splice(0);
    let firstName = this.#names.size - sum(parts, ({ names }) => names.length);
    let firstNode = this.#nodes.size - sum(parts, ({ parents }) => parents.length);
    return parts.map((part) => {
      const record: StacksRecord = {
        type: 'stacks',
        t,
        duration_ms: durationMs,
        first_name: firstName,
        names: part.names,
        first_node: firstNode,
        parents: part.parents,
        node_names: part.nodeNames,
        categories: part.categories,
        samples: { node: [...part.samples.keys()], weight: [...part.samples.values()] },
        unit: 'samples',
      };
      firstName += part.names.length;
      firstNode += part.parents.length;
      return record;
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

function emptyPending(): Pending {
  return {
    names: [],
    parents: [],
    nodeNames: [],
    categories: [],
    samples: new Map(),
    bytes: 0,
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
