// Builds a call tree. Children are found in short lists, and in a hash table for wide nodes. Weights are summed exactly at one scale.

import { hashPair } from '../bytes/hash-bytes.ts';
import { TraceError } from '../format/errors.ts';
import { TREE_NODES } from '../format/limits.ts';
import { type Exact, ExactColumn, powerOfTen, times } from './exact-column.ts';
import { type FrameNames, FrameTable } from './frame-table.ts';
import type { StackTree } from './stack-tree.ts';

/** The number of children in a node's list. Further children are found by hash. */
const LISTED_CHILDREN = 8;

/** A node is four adjacent integers, so that a step down the tree touches one cache line. */
const RECORD = 4;
const PARENT = 0;
const FRAME = 1;
/** Offsets of the first listed child's record and the next sibling's record; 0 for none. Record 0 is the parent of all roots. */
const CHILD = 2;
const SIBLING = 3;

/** The frame that represents all frames for which a full tree had no room. */
export const LEFT_OUT = '[frames left out]';

/**
 * How many nodes call trees may still add. Several trees can share one room. When `nodes` is used up, the frames of a stack below
 * its last existing node become one LEFT_OUT node. When `leftOut` is used up too, they become one LEFT_OUT root. Sums stay exact.
 */
export type TreeRoom = { nodes: number; leftOut: number };

export class TreeBuilder {
  readonly frames: FrameTable;
  readonly #room: TreeRoom | null;
  readonly #mostNodes: number;
  #records = new Int32Array(1024 * RECORD);
  #length = 0;
  readonly #self = new ExactColumn(1024);
  #before: ExactColumn | null = null;
  /** Hash table of the nodes that are in no list, by parent and frame. An entry is node + 1, or 0. */
  #unlisted = new Int32Array(1 << 8);
  #unlistedLength = 0;
  #decimals = 0;
  #samples = 0;
  #leftOutFrame = -1;
  #leftOutSamples = 0;

  /** Trees that share a frame table can be compared frame by frame. Without `room` a tree has at most `mostNodes` nodes. */
  constructor(
    frames: FrameTable = new FrameTable(),
    room: TreeRoom | null = null,
    mostNodes: number = TREE_NODES,
  ) {
    this.frames = frames;
    this.#room = room;
    this.#mostNodes = mostNodes;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Returns the child of `parent` (−1: a root) with this frame, and adds it if it does not exist. Returns a LEFT_OUT node if the
   * room is used up; the child of a LEFT_OUT node is itself. Throws TraceError `too_large` for more than `mostNodes` nodes.
   */
  child(parent: number, frame: number): number {
    const records = this.#records;
    const above = (parent + 1) * RECORD;
    let previous = 0;
    let at = records[above + CHILD] ?? 0;
    for (let steps = 0; steps < LISTED_CHILDREN; steps++) {
      if (at === 0) return this.#listedChild(parent, frame);
      const next = records[at + SIBLING] ?? 0;
      if (records[at + FRAME] === frame) {
        // Move the child to the front: most calls take the same step as the call before.
        if (previous !== 0) {
          records[previous + SIBLING] = next;
          records[at + SIBLING] = records[above + CHILD] ?? 0;
          records[above + CHILD] = at;
        }
        return at / RECORD - 1;
      }
      previous = at;
      at = next;
    }
    return this.#unlistedChild(parent, frame);
  }

  /** Whether a node represents frames for which the tree had no room. */
  isLeftOut(node: number): boolean {
    if (this.#leftOutFrame < 0 || node < 0) return false;
    return this.#records[(node + 1) * RECORD + FRAME] === this.#leftOutFrame;
  }

  /** Adds a sample. `before` is given only if the file has two counts. */
  add(node: number, weight: Exact, decimals: number, before?: Exact, beforeDecimals = 0): void {
    this.#samples++;
    if (this.isLeftOut(node)) this.#leftOutSamples++;
    this.#self.add(node, this.#scaled(weight, decimals));
    if (before === undefined) return;
    this.#before ??= new ExactColumn(this.#self.values.length);
    this.#before.add(node, this.#scaled(before, beforeDecimals));
  }

  /** A copy of the tree so far; the builder can go on. Pass `frames` if the frames of the nodes are ids of another table. */
  finish(unit: string, frames: FrameNames = this.frames.names()): StackTree {
    const length = this.#length;
    return {
      length,
      parents: this.#column(PARENT),
      nodeFrames: this.#column(FRAME),
      frames,
      self: this.#self.copy(length),
      before: this.#before?.copy(length) ?? null,
      decimals: this.#decimals,
      unit,
      samples: this.#samples,
      leftOut: this.#leftOutSamples,
    };
  }

  #column(field: number): Int32Array<ArrayBuffer> {
    const column = new Int32Array(this.#length);
    const records = this.#records;
    for (let node = 0, at = RECORD + field; node < column.length; node++, at += RECORD)
      column[node] = records[at] ?? 0;
    return column;
  }

  #scaled(value: Exact, decimals: number): Exact {
    if (decimals === this.#decimals) return value;
    if (decimals > this.#decimals) {
      const factor = BigInt(powerOfTen(decimals - this.#decimals));
      this.#self.multiply(factor);
      this.#before?.multiply(factor);
      this.#decimals = decimals;
      return value;
    }
    return value === 0 ? 0 : times(value, powerOfTen(this.#decimals - decimals));
  }

  #isFullFor(frame: number): boolean {
    return this.#room !== null && this.#room.nodes <= 0 && frame !== this.#leftOutFrame;
  }

  #leftOutBelow(parent: number): number {
    if (this.isLeftOut(parent)) return parent;
    if (this.#leftOutFrame < 0) this.#leftOutFrame = this.frames.internText(LEFT_OUT);
    const hasRoom = this.#room !== null && this.#room.leftOut > 0;
    return this.child(hasRoom ? parent : -1, this.#leftOutFrame);
  }

  #append(parent: number, frame: number): number {
    const node = this.#length;
    if (node >= this.#mostNodes) {
      throw new TraceError(
        'too_large',
        `Cannot build a call tree of more than ${this.#mostNodes} nodes`,
        1,
        1,
      );
    }
    if (this.#room !== null) this.#room[frame === this.#leftOutFrame ? 'leftOut' : 'nodes']--;
    const record = (node + 1) * RECORD;
    if (record === this.#records.length) this.#grow();
    this.#records[record + PARENT] = parent;
    this.#records[record + FRAME] = frame;
    this.#length++;
    return node;
  }

  #grow(): void {
    const nodes = this.#records.length / RECORD;
    const more = Math.ceil(nodes * (nodes < 1 << 22 ? 2 : 1.5));
    const records = new Int32Array(more * RECORD);
    records.set(this.#records);
    this.#records = records;
    this.#self.resize(more);
    this.#before?.resize(more);
  }

  /** Adds a child to the list of its parent. */
  #listedChild(parent: number, frame: number): number {
    if (this.#isFullFor(frame)) return this.#leftOutBelow(parent);
    const node = this.#append(parent, frame);
    const record = (node + 1) * RECORD;
    const above = (parent + 1) * RECORD;
    this.#records[record + SIBLING] = this.#records[above + CHILD] ?? 0;
    this.#records[above + CHILD] = record;
    return node;
  }

  #unlistedChild(parent: number, frame: number): number {
    const mask = this.#unlisted.length - 1;
    const records = this.#records;
    let slot = hashPair(parent, frame) & mask;
    for (;;) {
      const node = (this.#unlisted[slot] ?? 0) - 1;
      if (node < 0) break;
      const record = (node + 1) * RECORD;
      if (records[record + PARENT] === parent && records[record + FRAME] === frame) return node;
      slot = (slot + 1) & mask;
    }
    if (this.#isFullFor(frame)) return this.#leftOutBelow(parent);
    const node = this.#append(parent, frame);
    this.#unlisted[slot] = node + 1;
    if (++this.#unlistedLength * 2 > this.#unlisted.length) this.#rehash();
    return node;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#unlisted.length * 2);
    const mask = slots.length - 1;
    for (const entry of this.#unlisted) {
      if (entry === 0) continue;
      const record = entry * RECORD;
      const parent = this.#records[record + PARENT] ?? 0;
      let slot = hashPair(parent, this.#records[record + FRAME] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry;
    }
    this.#unlisted = slots;
  }
}
