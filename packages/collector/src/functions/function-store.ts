// The functions of a recording: a tree of stacks, and its samples in columns. They are written when the trace is exported, because a
// record of stacks refers to the ones before it, so that the log could not drop its oldest lines.
import {
  formatKnownRecord,
  type LossRecord,
  type NamedFrame,
  nameFrame,
  roundMs,
  StacksWriter,
} from '@svc/trace/write';
import type { Sink } from '../sink/sink.ts';

/** The share of the budget that the tree may have, and the samples. */
const SHARE = 1 / 8;
/** Samples in a block. The oldest block is dropped when there is no room. */
const BLOCK = 128;
/** Three columns of a block. */
const BLOCK_BYTES = BLOCK * 3 * Float64Array.BYTES_PER_ELEMENT;
/** Estimates of a function without its texts, and of a node, with their entries in maps. */
const FUNCTION_BYTES = 128;
const NODE_BYTES = 64;
/** More functions than fit into any budget, so that a node and a function make one key. */
const KEY_FUNCTIONS = 2 ** 26;

/** What a sample has instead of a node: no function, or one of the reasons why it is missing. */
export const NO_STACK = -1;
export const LATE = -2;
export const BUFFER_FULL = -3;
/** The tree has no room for the stack. */
const NO_ROOM = -4;
const REASONS = ['', '', 'late_sampler', 'buffer_full', 'stacks_lost'];

type Block = {
  readonly node: Float64Array;
  readonly at: Float64Array;
  readonly weight: Float64Array;
  length: number;
};

/** Times are whole µs since the start of the recording. */
export class FunctionStore {
  readonly #sink: Sink;
  /** Most bytes of the tree, and most bytes of the samples. */
  readonly #share: number;
  readonly #functions = new Map<string, number>();
  readonly #frames: NamedFrame[] = [];
  readonly #nodes = new Map<number, number>();
  readonly #parents: number[] = [];
  readonly #frameOfNode: number[] = [];
  readonly #blocks: Block[] = [];
  #treeBytes = 0;
  /** The number of samples that were dropped. Null if nothing was. */
  #dropped: number | null = null;

  constructor(sink: Sink) {
    this.#sink = sink;
    this.#share = sink.log.budget * SHARE;
  }

  /** Returns the id of a function, or NO_ROOM. Lines and columns count from 1. */
  functionOf(name: string, url: string, line: number, column: number): number {
    const key = `${url}:${line}:${column}\n${name}`;
    const known = this.#functions.get(key);
    if (known !== undefined) return known;
    const frame = nameFrame({
      functionName: name,
      url,
      lineNumber: line - 1,
      columnNumber: column - 1,
    });
    if (!this.#take(FUNCTION_BYTES + key.length + frame.name.length + frame.place.length))
      return NO_ROOM;
    this.#functions.set(key, this.#frames.length);
    return this.#frames.push(frame) - 1;
  }

  /** Returns the node of a function below `parent` (NO_STACK: a root), or NO_ROOM. */
  nodeOf(parent: number, id: number): number {
    if (parent === NO_ROOM || id === NO_ROOM) return NO_ROOM;
    const key = (parent + 1) * KEY_FUNCTIONS + id;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    if (!this.#take(NODE_BYTES)) return NO_ROOM;
    this.#nodes.set(key, this.#parents.length);
    this.#frameOfNode.push(id);
    return this.#parents.push(parent) - 1;
  }

  /** Adds a sample of a node, or a time without one. `at` must not descend. */
  add(node: number, at: number, weight: number): void {
    if (node === NO_STACK) return;
    if (node === NO_ROOM) this.#sink.lost++;
    const block = this.#blockWithRoom();
    const { length } = block;
    const last = length - 1;
    const end = (block.at[last] ?? 0) + (block.weight[last] ?? 0);
    if (node < 0 && block.node[last] === node && end === at) {
      block.weight[last] = at + weight - (block.at[last] ?? 0);
      return;
    }
    block.node[length] = node;
    block.at[length] = at;
    block.weight[length] = weight;
    block.length++;
  }

  /** The lines of the trace. */
  lines(): string[] {
    const lines: string[] = [];
    const put = (record: Parameters<typeof formatKnownRecord>[0]) =>
      lines.push(formatKnownRecord(record));
    const writer = new StacksWriter(put);
    for (const [node, id] of this.#frameOfNode.entries()) {
      const frame = this.#frames[id];
      if (frame !== undefined) writer.node(this.#parents[node] ?? -1, frame, frame.category);
    }
    for (const { node, at, weight, length } of this.#blocks) {
      for (let i = 0; i < length; i++) {
        const [id = 0, start = 0, lasted = 0] = [node[i], at[i], weight[i]];
        if (id >= 0) writer.sample(id, start, lasted);
        else put(lossOf(REASONS[-id] ?? '', start, lasted));
      }
    }
    writer.finish();
    if (this.#dropped !== null) {
      put({ ...lossOf('storage_cap', 0, this.#blocks[0]?.at[0] ?? 0), count: this.#dropped });
    }
    return lines;
  }

  #take(bytes: number): boolean {
    if (this.#treeBytes + bytes > this.#share) return false;
    this.#treeBytes += bytes;
    this.#sink.log.used += bytes;
    return true;
  }

  /** The newest block. Drops the oldest one if a new one has no room. */
  #blockWithRoom(): Block {
    const newest = this.#blocks.at(-1);
    if (newest !== undefined && newest.length < BLOCK) return newest;
    if ((this.#blocks.length + 1) * BLOCK_BYTES <= this.#share) this.#sink.log.used += BLOCK_BYTES;
    else {
      const samples = this.#blocks.shift()?.node.filter((node) => node >= 0).length ?? 0;
      this.#dropped = (this.#dropped ?? 0) + samples;
      this.#sink.lost += samples;
    }
    const column = () => new Float64Array(BLOCK);
    const block = { node: column(), at: column(), weight: column(), length: 0 };
    this.#blocks.push(block);
    return block;
  }
}

/** A loss of samples only. */
export function lossOf(reason: string, at: number, duration: number): LossRecord {
  const [t, duration_ms] = [roundMs(at / 1000), roundMs(duration / 1000)];
  return { type: 'loss', t, reason, duration_ms, probe: 'stacks' };
}
