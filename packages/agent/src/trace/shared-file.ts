// An open file with several readers. It is closed when its owner has released it and the last
// reader is done.
import { read } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';

export type FileLease = Disposable & { readonly descriptor: number };

export class SharedFile {
  readonly #close: () => Promise<void>;
  readonly #handle: FileHandle;
  #readers = 0;
  #released = false;

  /** `close` defaults to closing the handle. */
  constructor(handle: FileHandle, close: () => Promise<void> = () => handle.close()) {
    this.#handle = handle;
    this.#close = close;
  }

  /** Keeps the file open until disposed of. Null if it has been released. */
  lease(): FileLease | null {
    if (this.#released) return null;
    this.#readers++;
    let open = true;
    return {
      descriptor: this.#handle.fd,
      [Symbol.dispose]: () => {
        if (!open) return;
        open = false;
        this.#readers--;
        void this.#closeIfDone();
      },
    };
  }

  /** Releases the file. Resolves when it is closed, or at once if a reader still uses it. */
  async release(): Promise<void> {
    this.#released = true;
    await this.#closeIfDone();
  }

  async #closeIfDone(): Promise<void> {
    if (this.#released && this.#readers === 0) await this.#close();
  }
}

const readFrom = promisify(read);

/** Reads the bytes of the file from `from` to, but not including, `to`. Throws if the file is shorter. */
export async function readRange(
  { descriptor }: FileLease,
  from: number,
  to: number,
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < buffer.length) {
    const position = from + filled;
    const { bytesRead } = await readFrom(descriptor, { buffer, offset: filled, position });
    if (bytesRead === 0) throw new Error('the trace is shorter than it was');
    filled += bytesRead;
  }
  return buffer;
}
