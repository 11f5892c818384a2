// Detects the format of a trace by its first bytes, and opens a reader for it.

import { type FrameLogFormat, frameLogFormat } from '../frame-logs/sniff-frame-log.ts';

export type TraceFormat = 'vpt' | 'folded' | ConvertedFormat;
/** The formats of other tools that are converted to `.vpt` before they are read. */
export type ConvertedFormat = ProfileFormat | FrameLogFormat;
/** `cpuprofile` is a V8 CPU profile, `chrome` a performance trace of Chrome (the trace event format). */
export type ProfileFormat = 'cpuprofile' | 'chrome';

export function isConvertedFormat(format: TraceFormat): format is ConvertedFormat {
  return format !== 'vpt' && format !== 'folded';
}

/** The number of bytes that is enough to detect the format. */
export const SNIFF_BYTES = 65_536;

/**
 * A first line that is an object with the key `"vpt"` is `.vpt`, also after a byte-order mark. So is a first line that is cut off
 * before that key, and an empty file: no tool writes empty folded stacks, but a full disk leaves empty traces. JSON with the keys
 * of a V8 CPU profile or of a Chrome trace is such a profile, and CSV with the columns of a frame log such a log. Everything else is
 * treated as folded stacks, whose reader reports other formats.
 */
export function sniffFormat(head: Uint8Array): TraceFormat {
  const text = new TextDecoder(encodingOf(head)).decode(head.subarray(0, SNIFF_BYTES)).trimStart();
  const [line = ''] = text.split('\n');
  if (text === line && '{"vpt"'.startsWith(line)) return 'vpt';
  if (/^\{\s*"/.test(line) && line.includes('"vpt"')) return 'vpt';
  return profileFormat(text) ?? frameLogFormat(text) ?? 'folded';
}

/** Profiles of other tools, which share keys with those of V8 and Chrome. */
const OTHER_PROFILES =
  /speedscope|"(?:geckoProfile|stackTable|preprocessedProfileVersion|selfSize)/;
/** The first key of an object, if it is one that V8 or Chrome writes first. */
const FIRST_KEY = /^\{\s*"(\w+)"\s*:/;
const V8_KEYS: ReadonlySet<string> = new Set(['nodes', 'samples', 'timeDeltas', 'head']);
const CHROME_KEYS: ReadonlySet<string> = new Set(['traceEvents', 'metadata', 'displayTimeUnit']);

function profileFormat(text: string): ProfileFormat | null {
  if (OTHER_PROFILES.test(text)) return null;
  if (/^\[\s*\{/.test(text)) return /"ph"\s*:\s*"/.test(text) ? 'chrome' : null;
  const [, first] = FIRST_KEY.exec(text) ?? [];
  if (first === undefined) return null;
  if (CHROME_KEYS.has(first) || /"traceEvents"\s*:\s*\[/.test(text)) return 'chrome';
  return V8_KEYS.has(first) || /"callFrame"\s*:\s*\{/.test(text) ? 'cpuprofile' : null;
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

export type PushReader<Result> = { push(chunk: Uint8Array): void; finish(): Result };

/** Buffers the beginning until the format is known, then passes all bytes to the reader that `open` returns for it. */
export class SniffingReader<Result> implements PushReader<Result> {
  readonly #open: (format: TraceFormat) => PushReader<Result>;
  #reader: PushReader<Result> | null = null;
  #head: Uint8Array = new Uint8Array(0);

  constructor(open: (format: TraceFormat) => PushReader<Result>) {
    this.#open = open;
  }

  push(chunk: Uint8Array): void {
    if (this.#reader !== null) {
      this.#reader.push(chunk);
      return;
    }
    const head = new Uint8Array(this.#head.length + chunk.length);
    head.set(this.#head);
    head.set(chunk, this.#head.length);
    this.#head = head;
    if (head.length >= SNIFF_BYTES) this.#start();
  }

  finish(): Result {
    return (this.#reader ?? this.#start()).finish();
  }

  #start(): PushReader<Result> {
    const reader = this.#open(sniffFormat(this.#head));
    this.#reader = reader;
    reader.push(this.#head);
    this.#head = new Uint8Array(0);
    return reader;
  }
}
