// Which format bytes are in, by their beginning, and a reader that opens once that is known.

export type TraceFormat = 'vpt' | 'folded';

/** How many bytes are enough to tell. */
export const SNIFF_BYTES = 65_536;

/**
 * A first line that is an object and has the key `"vpt"` is meant as `.vpt`, with a byte-order mark too, and so is one
 * that is cut off before it could have it, and no line at all: no tool writes folded stacks that are empty, but a full
 * disk leaves such traces. Anything else is taken for folded stacks, whose reader says what it looks like instead.
 */
export function sniffFormat(head: Uint8Array): TraceFormat {
  const text = new TextDecoder(encodingOf(head)).decode(head.subarray(0, SNIFF_BYTES));
  const [line = ''] = text.trimStart().split('\n');
  if ('{"vpt"'.startsWith(line)) return 'vpt';
  return /^\{\s*"/.test(line) && line.includes('"vpt"') ? 'vpt' : 'folded';
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

export type PushReader<Result> = { push(chunk: Uint8Array): void; finish(): Result };

/** Holds the beginning back until the format is known, then hands everything to the reader that `open` gives for it. */
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
