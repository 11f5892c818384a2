// Writes samples with their times as `stacks` records. Each record holds at most one second of samples.

import { utf8Length } from '../bytes/utf8.ts';
import { LINE_BYTES } from '../format/limits.ts';
import type { StacksRecord } from '../format/records.ts';
import { TIME_UNIT } from '../stacks/weigh-window.ts';
import { roundMs } from '../vpt/format-record.ts';

/** Longest record in bytes. */
const BATCH_BYTES = LINE_BYTES / 2;
/** A window of time reads whole records, so short records make it fast. */
const BATCH_US = 1_000_000;
/** Weights are whole microseconds. */
const SCALE = 1000;
/** The longest node and sample with their commas: ids have at most 10 digits, times 17 characters, a category 9 with quotes. */
const NODE_BYTES = 32;
const SAMPLE_BYTES = 48;

/** A name and its source position, see `places` in docs/vpt.md. */
export type Named = { readonly name: string; readonly place: string };

/** Emits the records in the order of the calls. `finish` emits the last one. Times are in µs after the start of the trace. */
export class StacksWriter {
  readonly #emit: (record: StacksRecord) => void;
  readonly #nameIds = new Map<string, number>();
  #pendingBytes = 0;
  #firstName = 0;
  #firstNode = 0;
  #names: string[] = [];
  #places: string[] = [];
  #parents: number[] = [];
  #nodeNames: number[] = [];
  #categories: string[] = [];
  #nodes: number[] = [];
  #weights: number[] = [];
  #at: number[] = [];
  #start = 0;
  #end = 0;

  constructor(emit: (record: StacksRecord) => void) {
    this.#emit = emit;
  }

  /** The time at which the last sample ends, in milliseconds. */
  get end_ms(): number {
    return roundMs(this.#end / SCALE);
  }

  /** Adds a node below `parent` (−1: a root). Returns its id. */
  node(parent: number, { name, place }: Named, category: string): number {
    const key = `${place}\n${name}`;
    let id = this.#nameIds.get(key);
    if (id === undefined) {
      this.#makeRoom(utf8Length(JSON.stringify(name)) + utf8Length(JSON.stringify(place)) + 2);
      id = this.#nameIds.size;
      this.#nameIds.set(key, id);
      this.#names.push(name);
      this.#places.push(place);
    }
    this.#makeRoom(NODE_BYTES);
    this.#parents.push(parent);
    this.#nodeNames.push(id);
    this.#categories.push(category);
    return this.#firstNode + this.#parents.length - 1;
  }

  /** Adds a sample that begins at `at` and lasts for `weight`, both whole µs. `at` must not descend. */
  sample(node: number, at: number, weight: number): void {
    if (this.#at.length > 0 && at - this.#start >= BATCH_US) this.#flush();
    this.#makeRoom(SAMPLE_BYTES);
    if (this.#at.length === 0) {
      this.#start = at;
      this.#end = at;
    }
    this.#nodes.push(node);
    this.#weights.push(weight);
    this.#at.push((at - this.#start) / SCALE);
    this.#end = Math.max(this.#end, at + weight);
  }

  finish(): void {
    if (this.#names.length + this.#parents.length + this.#at.length > 0) this.#flush();
  }

  #makeRoom(bytes: number): void {
    if (this.#pendingBytes > 0 && this.#pendingBytes + bytes > BATCH_BYTES) this.#flush();
    this.#pendingBytes += bytes;
  }

  #flush(): void {
    this.#emit({
      type: 'stacks',
      t: roundMs(this.#start / SCALE),
      duration_ms: roundMs((this.#end - this.#start) / SCALE),
      first_name: this.#firstName,
      names: this.#names,
      ...(this.#places.some((place) => place !== '') && { places: this.#places }),
      first_node: this.#firstNode,
      parents: this.#parents,
      node_names: this.#nodeNames,
      categories: this.#categories,
      samples: { node: this.#nodes, weight: this.#weights, at_ms: this.#at },
      unit: TIME_UNIT,
      scale: SCALE,
    });
    this.#firstName += this.#names.length;
    this.#firstNode += this.#parents.length;
    this.#names = [];
    this.#places = [];
    this.#parents = [];
    this.#nodeNames = [];
    this.#categories = [];
    this.#nodes = [];
    this.#weights = [];
    this.#at = [];
    this.#start = this.#end;
    this.#pendingBytes = 0;
  }
}
