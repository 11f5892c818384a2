// Converts folded stacks to `.vpt` text as they stream. The same input always gives the same bytes.

import { Int32List } from '../bytes/growable.ts';
import { utf8Length } from '../bytes/utf8.ts';
import { LINE_BYTES } from '../format/limits.ts';
import type { Header, StacksRecord } from '../format/records.ts';
import { TreeBuilder } from '../stacks/build-tree.ts';
import { type Exact, powerOfTen, times } from '../stacks/exact-column.ts';
import { categoryOfBytes, FRAME_CATEGORIES } from '../stacks/frame-table.ts';
import { formatHeader, formatRecord } from '../vpt/format-record.ts';
import { FOLDED_UNIT } from './folded-tree.ts';
import {
  type FoldedEnding,
  FoldedScanner,
  type FoldedSink,
  type FoldedStack,
} from './scan-folded.ts';

/** The header of every converted file. The time of the recording is unknown. */
export const FOLDED_HEADER: Header = {
  vpt: 1,
  producer: { name: 'svc folded import', version: '1' },
  started_at: null,
  sources: ['import'],
};

/** Longest line of a batch in bytes. */
const BATCH_BYTES = LINE_BYTES / 2;
/** The longest category, with its quotes and comma. */
const CATEGORY_BYTES = 11;
/** The quotes of two weights that are written as strings. */
const QUOTES_BYTES = 4;

type Sample = {
  node: number;
  weight: Exact;
  decimals: number;
  before: Exact;
  beforeDecimals: number;
};

/** Call `push` with the bytes, then `finish`. `emit` receives whole lines of `.vpt`, and nothing if the file is rejected at once. */
export class FoldedConverter implements FoldedSink {
  readonly #emit: (text: string) => void;
  readonly #scanner = new FoldedScanner(this);
  readonly #tree = new TreeBuilder();
  readonly #path = new Int32List();
  #two = false;
  #started = false;
  #pendingBytes = 0;
  /** The finest scale in the batch. */
  #decimals = 0;
  #firstName = 0;
  #firstNode = 0;
  #names: string[] = [];
  #parents: number[] = [];
  #nodeNames: number[] = [];
  #categories: string[] = [];
  #samples: Sample[] = [];

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): FoldedEnding {
    const ending = this.#scanner.finish();
    this.#flush();
    if (ending.skipped_count > 0) {
      const count = ending.skipped_count;
      this.#emit(formatRecord({ type: 'loss', t: 0, reason: 'unreadable_lines', count }));
    }
    this.#emit(formatRecord({ type: 'end', t: 0, reason: 'converted' }));
    return ending;
  }

  counts(counts: 1 | 2): void {
    this.#two = counts === 2;
  }

  stack(stack: FoldedStack): void {
    if (!this.#started) this.#emit(formatHeader(FOLDED_HEADER));
    this.#started = true;
    this.#path.reserve(stack.frames);
    let node = stack.shared === 0 ? -1 : (this.#path.values[stack.shared - 1] ?? -1);
    for (let i = stack.shared; i < stack.frames; i++) {
      node = this.#nodeOf(stack, i, node);
      this.#path.values[i] = node;
    }
    this.#addSample(node, stack);
  }

  /** Adds a sample. A finer scale makes every weight of the batch longer, so it may end the batch first. */
  #addSample(node: number, { weight, decimals, before, beforeDecimals }: FoldedStack): void {
    const own = digits(node) + digits(weight) + digits(before) + QUOTES_BYTES;
    const finest = Math.max(decimals, beforeDecimals);
    if (finest > this.#decimals) {
      this.#makeRoom(2 * (finest - this.#decimals) * this.#samples.length);
      this.#decimals = finest;
    }
    this.#makeRoom(own + 2 * Math.max(finest, this.#decimals));
    this.#decimals = Math.max(finest, this.#decimals);
    this.#samples.push({ node, weight, decimals, before, beforeDecimals });
  }

  /** The node of frame `i` below `parent`. New names and nodes are added to the batch. */
  #nodeOf(stack: FoldedStack, i: number, parent: number): number {
    const start = stack.base + (stack.starts[i] ?? 0);
    const end = stack.base + (stack.ends[i] ?? 0);
    const { frames } = this.#tree;
    const framesBefore = frames.length;
    const frame = frames.intern(stack.bytes, start, end, stack.hashes[i] ?? 0);
    const category = categoryOfBytes(stack.bytes, start, end);
    if (frames.length > framesBefore) {
      this.#addName(decoder.decode(stack.bytes.subarray(start, end - (category === 0 ? 0 : 4))));
    }
    const nodesBefore = this.#tree.length;
    const node = this.#tree.child(parent, frame);
    if (this.#tree.length > nodesBefore)
      this.#addNode(parent, frame, FRAME_CATEGORIES[category] ?? '');
    return node;
  }

  #addName(name: string): void {
    this.#makeRoom(utf8Length(JSON.stringify(name)) + 1);
    this.#names.push(name);
  }

  #addNode(parent: number, frame: number, category: string): void {
    this.#makeRoom(digits(parent) + digits(frame) + CATEGORY_BYTES);
    this.#parents.push(parent);
    this.#nodeNames.push(frame);
    this.#categories.push(category);
  }

  #makeRoom(bytes: number): void {
    if (this.#pendingBytes + bytes > BATCH_BYTES) this.#flush();
    this.#pendingBytes += bytes;
  }

  #flush(): void {
    if (this.#pendingBytes === 0) return;
    const decimals = this.#decimals;
    const record: StacksRecord = {
      type: 'stacks',
      t: 0,
      first_name: this.#firstName,
      names: this.#names,
      first_node: this.#firstNode,
      parents: this.#parents,
      node_names: this.#nodeNames,
      ...(this.#categories.some((category) => category !== '') && { categories: this.#categories }),
      samples: {
        node: this.#samples.map((sample) => sample.node),
        weight: this.#samples.map((one) => scaled(one.weight, one.decimals, decimals)),
        ...(this.#two && {
          before: this.#samples.map((one) => scaled(one.before, one.beforeDecimals, decimals)),
        }),
      },
      unit: FOLDED_UNIT,
      ...(decimals > 0 && { scale: toWeight(powerOfTen(decimals)) }),
    };
    this.#emit(formatRecord(record));
    this.#firstName += this.#names.length;
    this.#firstNode += this.#parents.length;
    this.#names = [];
    this.#parents = [];
    this.#nodeNames = [];
    this.#categories = [];
    this.#samples = [];
    this.#pendingBytes = 0;
    this.#decimals = 0;
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function scaled(value: Exact, decimals: number, common: number): number | string {
  return toWeight(value === 0 ? 0 : times(value, powerOfTen(common - decimals)));
}

function toWeight(value: Exact): number | string {
  return typeof value === 'number' ? value : String(value);
}

function digits(value: Exact): number {
  return String(value).length + 1;
}
