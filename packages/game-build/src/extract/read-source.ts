// Reads the bytes of one file in pieces that fit the buffers of a lane.
import type { ByteSource } from '../byte-source.ts';
import type { LaneBuffers } from './lane-buffers.ts';

/** Files up to this size are read in one piece: one task on the thread pool each. */
export const WHOLE_BYTES = 2 * 1024 * 1024;
export const CHUNK_BYTES = 256 * 1024;

/** A part of a source. */
type Range = { readonly offset: number; readonly bytes: number };

/** Passes the bytes of a range to `onChunk`: in one chunk if they fit. Each chunk is valid until the next one is read. */
export async function readSource(
  source: Pick<ByteSource, 'read'>,
  { offset, bytes }: Range,
  buffers: LaneBuffers,
  onChunk: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  if (bytes === 0) return;
  const most = bytes <= WHOLE_BYTES ? bytes : CHUNK_BYTES;
  for (let at = 0; at < bytes; at += most) {
    const length = Math.min(most, bytes - at);
    await onChunk(await source.read(offset + at, length, buffers.input));
  }
}
