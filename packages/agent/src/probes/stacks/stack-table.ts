// Call stacks as the growing tree that a trace keeps: what is new since the record before, and the samples.
import type { StacksRecord } from '@svc/trace';

/** A function on a stack. Known categories are in docs/vpt.md; "" is native code with a name. */
export type Frame = {
  /** At most NAME_CHARACTERS. */
  readonly name: string;
  readonly category: (typeof CATEGORIES)[number];
};
const CATEGORIES = ['', 'kernel', 'jit', 'unknown'] as const;

/** Longest name of a frame; longer ones are cut by whoever makes frames. */
export const NAME_CHARACTERS = 1024;

/** Nodes and names of one capture at most; about 100 MB. Stacks that would need more are refused. */
const NODES = 1_048_576;

/**
 * A record is ended by the stack that takes it past this. One stack, of 145 frames with names of NAME_CHARACTERS, takes
 * less than as much again, and a line may have twice as much.
 */
const RECORD_BYTES = 512 * 1024;

// What one entry takes in a line at most: ids of 7 digits, the longest category, and their commas.
const NODE_BYTES = 8 + 8 + 10;
const SAMPLE_BYTES = 8 + 12;

/** When samples were taken, in trace milliseconds. */
export type Span = { readonly t: number; readonly durationMs: number };

type Pending = {
  names: string[];
  parents: number[];
  nodeNames: number[];
  categories: string[];
  /** By node: its weight. */
  samples: Map<number, number>;
  bytes: number;
};

/** Gathers samples; `take` hands over the records that tell of them. */
export class StackTable {
  readonly #names = new Map<string, number>();
  /** Nodes by parent, name and category in one number. */
  readonly #nodes = new Map<number, number>();
  readonly #nodeLimit: number;
  readonly #full: Pending[] = [];
  #pending = emptyPending();

  constructor(nodeLimit: number = NODES) {
    this.#nodeLimit = nodeLimit;
  }

  /** Adds samples of one stack, outermost frame first; false where the table has no room for it. */
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

  /** The records of everything that was added since the last call; none where nothing was. */
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

/** There are no more names than nodes, so that this is exact: 2^20 · 2^20 · 4. */
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
