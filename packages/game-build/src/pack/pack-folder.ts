// Packs a folder into a deterministic ZIP as a stream: sorted, with a fixed time and mode, without folder entries.
import { createHash, hash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { extensionOf } from '../describe/media-types.ts';
import { digestManifest } from '../digest.ts';
import { BuildError } from '../findings.ts';
import { deflateChunks } from './deflate-chunks.ts';
import { type PackPlan, type PlanOptions, planPack } from './plan-pack.ts';
import { changed, readPlanned } from './read-planned.ts';
import type { FoundFile } from './walk-folder.ts';
import {
  dataDescriptor,
  directoryHeader,
  endRecord,
  localHeader,
  type PackedEntry,
} from './zip-records.ts';

export type PackOptions = PlanOptions & {
  readonly signal?: AbortSignal;
  /** Called with the bytes of content packed so far. `total_bytes` is the total. */
  readonly onProgress?: (done: { readonly bytes: number; readonly total_bytes: number }) => void;
};

/** The content of a finished ZIP. */
export type Packed = {
  readonly zip_bytes: number;
  /** Relative to the build's root, sorted. */
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly bytes: number;
  }[];
  /** Equal to the `digest` that a server computes for this build. */
  readonly digest: string;
};

/** Files up to this size are compressed in one piece, several at once. */
const WHOLE_BYTES = 4 * 1024 * 1024;
const AHEAD = 4;
/** The maximum with 32-bit offsets and sizes. */
const MAX_ZIP_BYTES = 0xffff_fffe;
/** Compressed formats, which Deflate cannot reduce. Large files of these types are stored. */
const COMPRESSED = new Set(
  'png apng jpg jpeg gif webp avif jxl mp3 ogg oga opus m4a aac flac weba mp4 m4v webm ogv mov woff woff2 br gz zip 7z unityweb ktx2 basis'.split(
    ' ',
  ),
);

/**
 * Plans, then yields the ZIP's bytes. The generator returns the content. The same files give the same bytes on each run with the
 * same zlib; its output may differ between versions and processors. The digest covers the contents and never differs. Memory
 * is bounded for folders of any size. Throws a {@link BuildError}: those of {@link planPack}, `file_changed` if a file has
 * changed since the plan, and `payload_too_large` if the ZIP exceeds its limit.
 */
export async function* packFolder(
  folder: string | PackPlan,
  options: PackOptions = {},
): AsyncGenerator<Buffer, Packed> {
  const plan = typeof folder === 'string' ? await planPack(folder, options) : folder;
  const zip = new ZipProgress(plan, options);
  for await (const part of packFiles(plan, zip)) yield zip.count(part);
  const directoryOffset = zip.bytes;
  for (const entry of zip.entries) yield zip.count(directoryHeader(entry));
  yield zip.count(endRecord(zip.entries.length, zip.bytes - directoryOffset, directoryOffset));
  return { zip_bytes: zip.bytes, files: zip.files, digest: digestManifest(zip.files) };
}

/** Like {@link packFolder}, but writes a file, which must not exist yet. A failure leaves no file. */
export async function packToFile(
  folder: string | PackPlan,
  zipPath: string,
  options: PackOptions = {},
): Promise<Packed> {
  const plan = typeof folder === 'string' ? await planPack(folder, options) : folder;
  const handle = await open(zipPath, 'wx');
  try {
    const parts = packFolder(plan, options);
    let next = await parts.next();
    for (; next.done !== true; next = await parts.next()) await handle.writeFile(next.value);
    await handle.close();
    return next.value;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(zipPath, { force: true });
    throw error;
  }
}

/** The state of the ZIP being written. */
export class ZipProgress {
  readonly entries: PackedEntry[] = [];
  readonly files: { path: string; sha256: string; bytes: number }[] = [];
  bytes = 0;
  readonly #plan: PackPlan;
  readonly #options: PackOptions;
  #contentBytes = 0;

  constructor(plan: PackPlan, options: PackOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  /** Counts a part before it is written. Throws a {@link BuildError} above the limit. */
  count(part: Buffer): Buffer {
    this.#options.signal?.throwIfAborted();
    this.bytes += part.length;
    const limit = Math.min(this.#plan.limits.zip_bytes, MAX_ZIP_BYTES);
    if (this.bytes <= limit) return part;
    const message = `The ZIP exceeds ${limit} bytes, the maximum size.`;
    const finding = {
      code: 'payload_too_large',
      entry: null,
      rule: 'zip_bytes',
      hint: null,
    } as const;
    throw new BuildError([{ ...finding, message }]);
  }

  addEntry(file: FoundFile, entry: PackedEntry, sha256: string): void {
    this.entries.push(entry);
    const path = file.path.slice(this.#plan.root.length);
    this.files.push({ path, sha256, bytes: file.bytes });
  }

  addContent(bytes: number): void {
    this.#contentBytes += bytes;
    const { total_bytes } = this.#plan;
    this.#options.onProgress?.({ bytes: this.#contentBytes, total_bytes });
  }
}

/** Yields all files in order. Small ones are compressed in advance. */
async function* packFiles(plan: PackPlan, zip: ZipProgress): AsyncGenerator<Buffer> {
  const ahead = new Map<FoundFile, Promise<Whole>>();
  const rest = plan.files.values();
  const queue: FoundFile[] = [];
  try {
    for (;;) {
      while (queue.length < AHEAD) {
        const next = rest.next();
        if (next.done === true) break;
        queue.push(next.value);
        if (next.value.bytes <= WHOLE_BYTES) ahead.set(next.value, settled(packWhole(next.value)));
      }
      const file = queue.shift();
      if (file === undefined) return;
      const whole = ahead.get(file);
      ahead.delete(file);
      if (whole !== undefined) yield* writeWhole(file, await whole, zip);
      else if (COMPRESSED.has(extensionOf(file.path))) yield* writeStored(file, zip);
      else yield* writeDeflated(file, zip);
    }
  } finally {
    await Promise.allSettled(ahead.values());
  }
}

/** Returns the same promise. A rejection before it is awaited does not count as unhandled. */
function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

type Whole = {
  readonly method: 0 | 8;
  readonly data: Buffer;
  readonly crc32: number;
  readonly sha256: string;
};

const deflateRawAsync = promisify(deflateRaw);

async function packWhole(file: FoundFile): Promise<Whole> {
  const chunks: Buffer[] = [];
  for await (const chunk of readPlanned(file)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const deflated = await deflateRawAsync(bytes);
  const better = deflated.length < bytes.length;
  return {
    method: better ? 8 : 0,
    data: better ? deflated : bytes,
    crc32: crc32(bytes),
    sha256: hash('sha256', bytes),
  };
}

function* writeWhole(file: FoundFile, whole: Whole, zip: ZipProgress): Generator<Buffer> {
  const sizes = { method: whole.method, crc32: whole.crc32, compressedBytes: whole.data.length };
  const entry = entryOf(file, zip, { ...sizes, streamed: false });
  zip.addContent(file.bytes);
  yield localHeader(entry);
  if (whole.data.length > 0) yield whole.data;
  zip.addEntry(file, entry, whole.sha256);
}

/** Reads the file twice, because the CRC-32 must precede the data: some readers cannot read stored data without sizes. */
async function* writeStored(file: FoundFile, zip: ZipProgress): AsyncGenerator<Buffer> {
  let crc = 0;
  for await (const chunk of readPlanned(file)) crc = crc32(chunk, crc);
  const sizes = { method: 0, crc32: crc, compressedBytes: file.bytes } as const;
  const entry = entryOf(file, zip, { ...sizes, streamed: false });
  yield localHeader(entry);
  const sha256 = createHash('sha256');
  let second = 0;
  for await (const chunk of readPlanned(file)) {
    second = crc32(chunk, second);
    sha256.update(chunk);
    zip.addContent(chunk.length);
    yield chunk;
  }
  if (second !== crc) throw changed(file);
  zip.addEntry(file, entry, sha256.digest('hex'));
}

/** Writes the sizes after the data, in a descriptor, so that only one chunk is in memory. */
async function* writeDeflated(file: FoundFile, zip: ZipProgress): AsyncGenerator<Buffer> {
  const begun = entryOf(file, zip, { method: 8, streamed: true, crc32: 0, compressedBytes: 0 });
  yield localHeader(begun);
  const sha256 = createHash('sha256');
  let crc = 0;
  let compressedBytes = 0;
  for await (const part of deflateChunks(readPlanned(file), (chunk) => {
    sha256.update(chunk);
    crc = crc32(chunk, crc);
    zip.addContent(chunk.length);
  })) {
    compressedBytes += part.length;
    yield part;
  }
  const entry = { ...begun, crc32: crc, compressedBytes };
  yield dataDescriptor(entry);
  zip.addEntry(file, entry, sha256.digest('hex'));
}

function entryOf(
  file: FoundFile,
  zip: ZipProgress,
  sizes: Pick<PackedEntry, 'method' | 'streamed' | 'crc32' | 'compressedBytes'>,
): PackedEntry {
  return { name: Buffer.from(file.path), bytes: file.bytes, offset: zip.bytes, ...sizes };
}
