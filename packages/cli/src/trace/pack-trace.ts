// Compresses a trace while it is read, for a page that contains it.
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { bytesText } from '@svc/trace/number-text';
import { EXIT, ExitError } from '../process/exit-codes.ts';

/** What a page may contain. */
type PageLimits = {
  /** The size of the compressed trace. */
  readonly packed_bytes: number;
  /** The size of the trace itself. The viewer opens no larger one (`open-limits.ts`). */
  readonly trace_bytes: number;
};

/**
 * Browsers keep the base64 of the trace as one string, which in Chromium has 512 MiB at most. The limit is half of that: Chromium
 * 156 opened such a page in 7 s on a computer with two cores, and one of 510 MiB in 14 s. Other browsers were not measured.
 */
const PAGE_LIMITS: PageLimits = {
  packed_bytes: 192 * 2 ** 20,
  trace_bytes: 4 * 2 ** 30,
};

/** A trace as a gzip file in memory, whose size is limited. */
export type TracePacker = {
  /** Throws an ExitError (1) if the trace exceeds a limit. */
  push(chunk: Uint8Array): Promise<void>;
  /** Returns the file in pieces. The same trace gives the same bytes. Throws as `push`. */
  finish(): Promise<readonly Uint8Array[]>;
};

export function packTrace(limits: PageLimits = PAGE_LIMITS): TracePacker {
  const gzip = createGzip();
  const pieces: Uint8Array[] = [];
  let packed = 0;
  let read = 0;
  gzip.on('data', (piece: Uint8Array) => {
    packed += piece.length;
    if (packed <= limits.packed_bytes) pieces.push(piece);
  });
  const check = (): void => {
    if (packed > limits.packed_bytes) {
      throw tooLarge(`more than ${bytesText(limits.packed_bytes)} when compressed`);
    }
    if (read > limits.trace_bytes) throw tooLarge(`more than ${bytesText(limits.trace_bytes)}`);
  };
  return {
    async push(chunk) {
      read += chunk.length;
      check();
      await new Promise<void>((resolve, reject) => {
        gzip.write(chunk, (error) => (error ? reject(error) : resolve()));
      });
    },
    async finish() {
      gzip.end();
      await finished(gzip);
      check();
      return pieces;
    },
  };
}

function tooLarge(size: string): ExitError {
  return new ExitError(
    EXIT.unexpected,
    'too_large',
    `The trace has ${size}, which is more than a browser can open in one page.`,
    {
      hint: 'Leave out -o to read the answer here, or open the trace with svc dashboard FILE.',
    },
  );
}
