// Expands gzip files as they are read. The caller passes the decompressor, because each platform has its own.
import { TraceError } from '../format/errors.ts';
import { EXPANDED_BYTES } from '../format/limits.ts';

/** Decompresses gzip data as it arrives. A stream that was cut off ends where its data ends. Throws DamagedGzip or PartedGzip. */
export type Gunzip = (input: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** The error of a Gunzip for data that cannot be decompressed. */
export class DamagedGzip extends Error {
  override readonly name = 'DamagedGzip';
}

/** The error of a Gunzip that expands only the first of several members, as those of browsers do. */
export class PartedGzip extends Error {
  override readonly name = 'PartedGzip';
}

/**
 * The bytes of a file, expanded if it begins like a gzip file. Throws TraceError: `too_large` if the file expands beyond the limit,
 * so that a small file cannot fill memory or disk, and `not_a_profile` if its data is damaged or has parts that are not expanded.
 */
export async function* expandGzip(
  input: AsyncIterable<Uint8Array>,
  gunzip: Gunzip,
  limitBytes: number = EXPANDED_BYTES,
): AsyncGenerator<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  while (!isDecided(head)) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head.push(value);
  }
  const all = followedBy(head, chunks);
  if (!startsGzip(head)) {
    yield* all;
    return;
  }
  let bytes = 0;
  try {
    for await (const chunk of gunzip(all)) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof PartedGzip) throw new TraceError('not_a_profile', PARTED, 1, 1);
    if (!(error instanceof DamagedGzip)) throw error;
    const text = `Cannot read the gzip file: its data is damaged (${error.message}). Save or copy the file again`;
    throw new TraceError('not_a_profile', text, 1, 1);
  }
}

const PARTED =
  'Cannot read the gzip file: it has several parts, as those of Unreal Engine have, and browsers expand only the first. Expand it with gunzip, or open it with svc dashboard FILE';

function isDecided(head: readonly Uint8Array[]): boolean {
  return head.reduce((sum, chunk) => sum + chunk.length, 0) >= 2;
}

function startsGzip(head: readonly Uint8Array[]): boolean {
  const [first, second] = head.flatMap((chunk) => [...chunk.subarray(0, 2)]);
  return first === 0x1f && second === 0x8b;
}

/** The chunks that were read, then the rest. Ends the rest if the caller stops early. */
async function* followedBy(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function tooLarge(limitBytes: number): TraceError {
  return new TraceError(
    'too_large',
    `Cannot read the gzip file: it expands to more than ${limitBytes} bytes. Record a shorter time`,
    1,
    1,
  );
}
