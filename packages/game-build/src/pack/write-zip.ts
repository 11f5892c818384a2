// Writes a ZIP of files whose data is compressed already, or is not to be compressed. Its size is known in advance.
import { refuseWhole } from '../findings.ts';
import { directoryHeader, endRecord, localHeader, type PackedEntry } from './zip-records.ts';

/** A file of a ZIP to be written. */
export type ZippedFile = {
  readonly path: string;
  /** Size after inflating. */
  readonly bytes: number;
  /** 8: the data is raw Deflate. 0: the data is the file. */
  readonly method: 0 | 8;
  /** Size of the data. */
  readonly dataBytes: number;
};

/** The same, with its data. */
export type ZippedData = ZippedFile & {
  readonly crc32: number;
  readonly data: AsyncIterable<Uint8Array>;
};

const LOCAL_BYTES = 30;
const DIRECTORY_BYTES = 46;
const END_BYTES = 22;
/** The maximum without Zip64. */
const MAX_BYTES = 0xffff_fffe;

/** Returns the size of the ZIP that {@link writeZip} writes. Throws a {@link BuildError} if it is larger than `limit`. */
export function sizeZip(files: Iterable<ZippedFile>, limit: number): number {
  let bytes = END_BYTES;
  for (const { path, dataBytes } of files) {
    bytes += LOCAL_BYTES + DIRECTORY_BYTES + 2 * Buffer.byteLength(path) + dataBytes;
  }
  const most = Math.min(limit, MAX_BYTES);
  if (bytes <= most) return bytes;
  const message = `The ZIP has ${bytes} bytes; ${most} are allowed.`;
  return refuseWhole('payload_too_large', 'zip_bytes', message);
}

/** Yields the ZIP: the files in their order, then the directory. */
export async function* writeZip(files: AsyncIterable<ZippedData>): AsyncGenerator<Uint8Array> {
  const entries: PackedEntry[] = [];
  let offset = 0;
  for await (const { path, bytes, method, dataBytes, crc32, data } of files) {
    const entry = {
      ...{ name: Buffer.from(path), method, streamed: false, crc32 },
      ...{ compressedBytes: dataBytes, bytes, offset },
    };
    const header = localHeader(entry);
    yield header;
    yield* data;
    entries.push(entry);
    offset += header.length + dataBytes;
  }
  let directoryBytes = 0;
  for (const entry of entries) {
    const header = directoryHeader(entry);
    directoryBytes += header.length;
    yield header;
  }
  yield endRecord(entries.length, directoryBytes, offset);
}
