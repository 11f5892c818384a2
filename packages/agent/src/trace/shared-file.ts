// An open file with several readers. It is closed when its owner has released it and the last
// reader is done.
import type { FileHandle } from 'node:fs/promises';

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
