// The scanner of folded stacks: it takes byte chunks and calls its sink once per stack. The tree, `info` and `convert` use it.
// It works on bytes and creates no strings. Leading frames that are the same as in the previous line are not scanned again.

import { TextToUtf8 } from '../bytes/decode-text.ts';
import { findInvalidUtf8 } from '../bytes/utf8.ts';
import { TraceError } from '../format/errors.ts';
import {
  FOLDED_LINE_BYTES,
  FOLDED_WINDOW_BYTES,
  NAME_BYTES,
  SKIPPED_LISTED,
} from '../format/limits.ts';
import type { Exact } from '../stacks/exact-column.ts';
import { FoldedLines, joinBytes } from './cut-folded-lines.ts';
import { looksLike, reportSignature, strongSignature } from './looks-like.ts';
import { type Count, type CountFault, parseCount } from './parse-count.ts';
import { FrameSplitter } from './split-frames.ts';
import { isComment, surveyLines, trimmedEnd } from './survey-lines.ts';

const LF = 10;
const SAMPLE_BYTES = 65_536;

/** One stack, valid during the call. Frame `i` is `bytes[base + starts[i] .. base + ends[i])`. */
export type FoldedStack = {
  bytes: Uint8Array;
  base: number;
  /** Frames of this stack, outermost first. At least one; a frame may be empty. */
  frames: number;
  /** The number of leading frames that are the same as in the previous stack. They are in the arrays too. */
  shared: number;
  starts: Int32Array;
  ends: Int32Array;
  /** `hashBytes` of each frame. */
  hashes: Int32Array;
  /** The count, or the second of two counts. Its value is `weight / 10^decimals`. */
  weight: Exact;
  decimals: number;
  /** The first of two counts. */
  before: Exact;
  beforeDecimals: number;
};

export type FoldedSink = {
  /** Called once before the first stack with the number of counts per line. */
  counts?(counts: 1 | 2): void;
  stack(stack: FoldedStack): void;
};

/** A line that is not a stack. `line` counts from 1. */
export type SkippedLine = { readonly line: number; readonly reason: string };

/** The result of reading a folded file. */
export type FoldedEnding = {
  /** The number of stacks, one per line. */
  readonly samples: number;
  readonly counts: 1 | 2;
  /** The first SKIPPED_LISTED skipped lines. */
  readonly skipped: readonly SkippedLine[];
  readonly skipped_count: number;
  readonly bytes: number;
};

/**
 * Call `push` with the bytes of the file in order, then `finish`. Throws TraceError `not_folded`, with a guess of the actual
 * format, if no line is a stack. Keeps one line in memory, and the first MiB until the number of counts is known.
 */
export class FoldedScanner {
  readonly #sink: FoldedSink;
  readonly #text = new TextToUtf8((bytes) => this.#pushUtf8(bytes));
  readonly #lines = new FoldedLines({
    line: (bytes, start, end) => this.#readLine(bytes, start, end),
    overlongLine: () => this.#skipOverlong(),
  });
  readonly #frames = new FrameSplitter();
  readonly #count: Count = { value: 0, decimals: 0, start: 0 };
  readonly #before: Count = { value: 0, decimals: 0, start: 0 };
  readonly #stack: FoldedStack;
  readonly #skipped: SkippedLine[] = [];
  #skippedCount = 0;
  #counts: 1 | 2 | null = null;
  #window: Uint8Array[] = [];
  #windowBytes = 0;
  #windowHasLine = false;
  #sample: Uint8Array = new Uint8Array(0);
  #line = 0;
  #samples = 0;
  #bytes = 0;

  constructor(sink: FoldedSink) {
    this.#sink = sink;
    this.#stack = {
      bytes: new Uint8Array(0),
      base: 0,
      frames: 0,
      shared: 0,
      starts: this.#frames.starts,
      ends: this.#frames.ends,
      hashes: this.#frames.hashes,
      weight: 0,
      decimals: 0,
      before: 0,
      beforeDecimals: 0,
    };
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#text.push(chunk);
  }

  finish(): FoldedEnding {
    this.#text.finish();
    if (this.#counts === null) this.#openWindow(false);
    this.#lines.finish();
    if (this.#samples === 0) throw this.#notStacks(looksLike(this.#sample));
    return {
      samples: this.#samples,
      counts: this.#counts ?? 1,
      skipped: this.#skipped,
      skipped_count: this.#skippedCount,
      bytes: this.#bytes,
    };
  }

  #pushUtf8(chunk: Uint8Array): void {
    if (this.#counts !== null) {
      this.#readChunk(chunk);
      return;
    }
    this.#window.push(chunk.slice());
    this.#windowBytes += chunk.length;
    this.#windowHasLine ||= chunk.includes(LF);
    const enough = this.#windowHasLine ? FOLDED_WINDOW_BYTES : FOLDED_LINE_BYTES;
    if (this.#windowBytes >= enough) this.#openWindow(true);
  }

  /** Decides from the first part of the file how many counts a line has, then reads that part. `more`: the file may go on. */
  #openWindow(more: boolean): void {
    const bytes = joinBytes(this.#window, this.#windowBytes);
    this.#window = [];
    this.#sample = bytes.slice(0, SAMPLE_BYTES);
    const survey = surveyLines(more ? bytes.subarray(0, bytes.lastIndexOf(LF) + 1) : bytes);
    const report = survey.stacks < survey.others ? reportSignature(this.#sample) : null;
    const instead = strongSignature(this.#sample) ?? report;
    if (instead !== null) throw this.#notStacks(instead);
    this.#counts = survey.counts;
    this.#sink.counts?.(this.#counts);
    this.#readChunk(bytes);
  }

  #readChunk(chunk: Uint8Array): void {
    this.#lines.push(chunk);
    this.#frames.moveFrom(chunk);
  }

  #readLine(bytes: Uint8Array, start: number, lineEnd: number): void {
    this.#line++;
    const end = trimmedEnd(bytes, start, lineEnd);
    if (end === start || isComment(bytes, start, end)) return;
    const fault =
      this.#readCounts(bytes, start, end) ?? this.#readFrames(bytes, start, this.#stackEnd);
    if (fault !== null) this.#skip(fault);
    else this.#deliver(bytes, start);
  }

  #skipOverlong(): void {
    this.#line++;
    this.#skip(`a line longer than ${FOLDED_LINE_BYTES} bytes`);
  }

  /** The end of the stack in the line. Valid after the counts were read. */
  get #stackEnd(): number {
    return this.#counts === 2 ? this.#before.start : this.#count.start;
  }

  #readCounts(bytes: Uint8Array, start: number, end: number): CountFault | null {
    const fault = parseCount(bytes, start, end, this.#count);
    if (fault !== null || this.#counts !== 2) return fault;
    const inner = trimmedEnd(bytes, start, this.#count.start);
    if (parseCount(bytes, start, inner, this.#before) !== null) {
      this.#before.value = 0;
      this.#before.decimals = 0;
      this.#before.start = this.#count.start;
    }
    return null;
  }

  #readFrames(bytes: Uint8Array, start: number, end: number): string | null {
    const frames = this.#frames;
    frames.split(bytes, start, end);
    const fault = frames.isAscii ? null : textFault(bytes.subarray(start, end));
    if (fault === null && frames.longest <= NAME_BYTES) {
      frames.keep(bytes, start, end);
      return null;
    }
    frames.forget();
    return fault ?? `a frame longer than ${NAME_BYTES} bytes`;
  }

  #deliver(bytes: Uint8Array, start: number): void {
    const stack = this.#stack;
    const two = this.#counts === 2;
    stack.bytes = bytes;
    stack.base = start;
    stack.frames = this.#frames.frames;
    stack.shared = this.#frames.shared;
    stack.starts = this.#frames.starts;
    stack.ends = this.#frames.ends;
    stack.hashes = this.#frames.hashes;
    stack.weight = this.#count.value;
    stack.decimals = this.#count.decimals;
    stack.before = two ? this.#before.value : 0;
    stack.beforeDecimals = two ? this.#before.decimals : 0;
    this.#samples++;
    this.#sink.stack(stack);
  }

  #skip(reason: string): void {
    this.#skippedCount++;
    if (this.#skipped.length < SKIPPED_LISTED) this.#skipped.push({ line: this.#line, reason });
  }

  #notStacks(instead: string): TraceError {
    const first = this.#skipped[0];
    return new TraceError(
      'not_folded',
      `Cannot read folded stacks: no line has the form "frame;frame COUNT". The file looks like ${instead}`,
      first?.line ?? 1,
      1,
    );
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** What a frame must not contain, or null. Valid text is recognized by the native decoder; only errors are searched for byte by byte. */
function textFault(text: Uint8Array): string | null {
  if (text.includes(0)) return 'a NUL byte';
  try {
    decoder.decode(text);
    return null;
  } catch {
    return `invalid UTF-8 at column ${findInvalidUtf8(text, 'reject') + 1}`;
  }
}
