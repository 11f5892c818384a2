// Writes a ZIP of files whose data is compressed already, or is not to be compressed, so that its size is known in advance. Other files are
// compressed while they are read.
import { crc32 as updateCrc } from 'node:zlib';
import { refuseWhole } from '../findings.ts';
import { deflateChunks } from './deflate-chunks.ts';
import {
  dataDescriptor,
  directoryHeader,
  endRecord,
  localHeader,
  type PackedEntry,
} from './zip-records.ts';

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

/** A file whose size is not known before it is read. It is compressed. */
export type StreamedFile = {
  readonly path: string;
  readonly content: AsyncIterable<Uint8Array>;
};

const LOCAL_BYTES = 30;
const DIRECTORY_BYTES = 46;
const END_BYTES = 22;
/** The maximum without Zip64. */
const MAX_BYTES = 0xffff_fffe;
/** The directory is collected in pieces of this size, because a small object for each entry would take more memory. */
const PIECE_BYTES = 64 * 1024;

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

/**
 * Yields the ZIP: the files in their order, then the directory, which is kept in memory until then. Throws if a streamed file has 4 GiB or
 * more.
 */
export async function* writeZip(
  files: AsyncIterable<ZippedData | StreamedFile>,
): AsyncGenerator<Uint8Array> {
  const directory = new Directory();
  let offset = 0;
  for await (const file of files) {
    const parts = 'content' in file ? writeStreamed(file, offset) : writeData(file, offset);
    const { entry, bytes } = yield* parts;
    directory.add(directoryHeader(entry));
    offset += bytes;
  }
  const pieces = directory.end();
  yield* pieces;
  const directoryBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  yield endRecord(directory.entries, directoryBytes, offset);
}

/** The headers of the directory, joined to larger pieces. */
class Directory {
  entries = 0;
  private readonly pieces: Buffer[] = [];
  private headers: Buffer[] = [];
  private bytes = 0;

  add(header: Buffer): void {
    this.entries++;
    this.headers.push(header);
    this.bytes += header.length;
    if (this.bytes >= PIECE_BYTES) this.join();
  }

  end(): readonly Buffer[] {
    this.join();
    return this.pieces;
  }

  private join(): void {
    this.pieces.push(Buffer.concat(this.headers));
    this.headers = [];
    this.bytes = 0;
  }
}

/** An entry of the ZIP, and how many bytes it takes before the directory. */
type Written = { readonly entry: PackedEntry; readonly bytes: number };

async function* writeData(
  { path, bytes, method, dataBytes, crc32, data }: ZippedData,
  offset: number,
): AsyncGenerator<Uint8Array, Written> {
  const entry = {
    ...{ name: Buffer.from(path), method, streamed: false, crc32 },
    ...{ compressedBytes: dataBytes, bytes, offset },
  };
  const header = localHeader(entry);
  yield header;
  yield* data;
  return { entry, bytes: header.length + dataBytes };
}

async function* writeStreamed(
  { path, content }: StreamedFile,
  offset: number,
): AsyncGenerator<Uint8Array, Written> {
  const sizes = { crc32: 0, compressedBytes: 0, bytes: 0 };
  const begun = { name: Buffer.from(path), method: 8, streamed: true, offset } as const;
  const header = localHeader({ ...begun, ...sizes });
  yield header;
  const parts = deflateChunks(content, (chunk) => {
    sizes.crc32 = updateCrc(chunk, sizes.crc32);
    sizes.bytes += chunk.length;
  });
  for await (const part of parts) {
    sizes.compressedBytes += part.length;
    yield part;
  }
  if (sizes.bytes > MAX_BYTES || sizes.compressedBytes > MAX_BYTES) {
    throw new Error(`Cannot write "${path}" to a ZIP: it has ${sizes.bytes} bytes`);
  }
  const entry = { ...begun, ...sizes };
  const descriptor = dataDescriptor(entry);
  yield descriptor;
  return { entry, bytes: header.length + sizes.compressedBytes + descriptor.length };
}
