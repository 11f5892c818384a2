// The SHA-256 of a file, computed on the thread pool if the file is one chunk.
import { createHash, type Hash, hash, subtle } from 'node:crypto';

const SYNC_BYTES = 16 * 1024;

/** Hashes the chunks of a file. The constructor takes the file's size. */
export class ContentHash {
  readonly #bytes: number;
  #hash: Hash | null = null;
  #digest: string | null = null;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  async update(chunk: Buffer): Promise<void> {
    if (chunk.length === this.#bytes && this.#hash === null) {
      this.#digest = await hashWhole(chunk);
    } else {
      this.#hash ??= createHash('sha256');
      this.#hash.update(chunk);
    }
  }

  digest(): string {
    return this.#digest ?? (this.#hash ?? createHash('sha256')).digest('hex');
  }
}

async function hashWhole(bytes: Buffer): Promise<string> {
  if (bytes.length <= SYNC_BYTES) return hash('sha256', bytes);
  return Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
}
