// Recognizes precompressed files, and decodes them once to check that they are complete.
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { BuildError, showName } from '../findings.ts';
import { isGameFile, isTextType, typeOfPath } from './media-types.ts';

const UNITY_MARKER = /UnityWeb Compressed Content \((gzip|brotli)\)/;

/**
 * The encoding that a file announces by its name or its first bytes, before decoding. Brotli has no magic bytes, so the ending
 * `.br` counts. `.gz` is an encoding if the inner name is that of a game's file, else it stays an archive. `.unityweb` has the
 * encoding in a comment in the stream. Text and WebAssembly with the first bytes of gzip are gzip.
 */
export function announcedEncoding(path: string, head: Buffer): 'gzip' | 'br' | null {
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  if (/\.br$/i.test(path)) return 'br';
  if (/\.unityweb$/i.test(path)) {
    const marker = UNITY_MARKER.exec(head.subarray(0, 256).toString('latin1'))?.[1];
    if (marker === 'brotli') return 'br';
    return isGzip ? 'gzip' : null;
  }
  if (!isGzip) return null;
  if (/\.svgz$/i.test(path)) return 'gzip';
  if (/\.gz$/i.test(path)) return isGameFile(withoutEncoding(path)) ? 'gzip' : null;
  const type = typeOfPath(path);
  return isTextType(type) || type === 'application/wasm' ? 'gzip' : null;
}

/** Removes the ending that names an encoding. The type depends on the rest. */
export function withoutEncoding(path: string): string {
  return path.replace(/\.svgz$/i, '.svg').replace(/\.(?:br|gz|unityweb)$/i, '');
}

/** The limits on the decoded sizes of all precompressed files of a build. */
export type InnerLimit = {
  /** The limit for one file. */
  readonly file_bytes: number;
  /** What is left for all files together. Decreases while decoding. */
  bytesLeft: number;
};

const CHUNK_BYTES = 128 * 1024;
const SIZE_BYTES = 4;

/** Decodes a stream to find its size and its first bytes, with bounded memory. */
export class InnerDecoder {
  readonly encoding: 'gzip' | 'br';
  readonly #stream: ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;
  readonly #done: Promise<boolean>;
  #inputBytes = 0;
  /** The last bytes of the input, which contain the decoded size in gzip. */
  #tail: Buffer = Buffer.alloc(0);
  #innerBytes = 0;
  #failed = false;
  #over: BuildError | null = null;

  constructor(
    encoding: 'gzip' | 'br',
    path: string,
    limit: InnerLimit,
    onBytes: (chunk: Buffer) => void,
  ) {
    this.encoding = encoding;
    this.#stream =
      encoding === 'gzip'
        ? createGunzip({ chunkSize: CHUNK_BYTES })
        : createBrotliDecompress({ chunkSize: CHUNK_BYTES });
    this.#stream.on('data', (chunk: Buffer) => {
      this.#innerBytes += chunk.length;
      limit.bytesLeft -= chunk.length;
      if (this.#innerBytes <= limit.file_bytes && limit.bytesLeft >= 0) return onBytes(chunk);
      this.#over ??= overLimit(path, this.#innerBytes > limit.file_bytes ? limit.file_bytes : null);
      this.#stream.destroy();
    });
    this.#done = new Promise((resolve) => {
      this.#stream.on('end', () => resolve(true));
      this.#stream.on('error', () => this.#stream.destroy());
      this.#stream.on('close', () => {
        this.#failed = true;
        resolve(false);
      });
    });
  }

  /** Throws a `BuildError` if the decoded size exceeds a limit. */
  async push(chunk: Buffer): Promise<void> {
    if (this.#over !== null) throw this.#over;
    if (this.#failed || this.#stream.destroyed) return;
    this.#inputBytes += chunk.length;
    // Copied, because the caller reuses the memory of the chunk.
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-SIZE_BYTES)]).subarray(-SIZE_BYTES);
    await new Promise<void>((resolve) => {
      this.#stream.once('close', resolve);
      this.#stream.write(chunk, () => {
        this.#stream.removeListener('close', resolve);
        resolve();
      });
    });
    if (this.#over !== null) throw this.#over;
  }

  /**
   * The decoded size. Null if the stream is invalid, ends early or is followed by other bytes. Also null for several
   * concatenated gzip streams: zlib joins them, but Chromium decodes the first one only.
   */
  async finish(): Promise<number | null> {
    if (!this.#stream.destroyed) this.#stream.end();
    const whole = await this.#done;
    const consumed = this.#stream.bytesWritten;
    this.#stream.destroy();
    if (this.#over !== null) throw this.#over;
    return whole && consumed === this.#inputBytes && this.#isOne() ? this.#innerBytes : null;
  }

  /** Each gzip stream ends with the size of its own content, modulo 2^32 (RFC 1952, 2.3.1). */
  #isOne(): boolean {
    return this.encoding !== 'gzip' || this.#tail.readUInt32LE(0) === this.#innerBytes >>> 0;
  }

  abort(): void {
    this.#stream.destroy();
  }
}

/** Counts the decoded size of a file that is not decoded again. Throws a `BuildError` if it exceeds a limit. */
export function countInner(limit: InnerLimit, path: string, bytes: number): void {
  limit.bytesLeft -= bytes;
  if (bytes <= limit.file_bytes && limit.bytesLeft >= 0) return;
  throw overLimit(path, bytes > limit.file_bytes ? limit.file_bytes : null);
}

function overLimit(path: string, fileBytes: number | null): BuildError {
  const message =
    fileBytes === null
      ? `${showName(path)} decodes to more bytes than all files together may have.`
      : `${showName(path)} decodes to more than ${fileBytes} bytes.`;
  const finding = { code: 'zip_expansion_limit', entry: path, rule: 'inner_bytes' } as const;
  return new BuildError([{ ...finding, message, hint: null }]);
}
