// A file that has its name only when it is complete. Until then, `.partial` is added.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

export class PartialFile {
  readonly #path: string;
  readonly #written: string;
  #file: number | null = null;
  #isCreated = false;

  constructor(path: string) {
    this.#path = path;
    this.#written = `${path}.partial`;
  }

  /** Whether the file was created, and does not have its name yet. */
  get isCreated(): boolean {
    return this.#isCreated;
  }

  /** Creates the file. Throws Node's error if that is impossible. */
  open(): void {
    this.#file = openSync(this.#written, 'w', 0o644);
    this.#isCreated = true;
  }

  /** Appends text, if the file is open. Throws Node's error, for example if the disk is full. */
  write(text: string): void {
    if (this.#file === null) return;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }

  /** Closes the file. Nothing more is written. */
  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Closes the file and gives it its name, if it was created. */
  commit(): void {
    this.close();
    if (!this.#isCreated) return;
    renameSync(this.#written, this.#path);
    this.#isCreated = false;
  }

  /** Removes the file unless it has its name. */
  [Symbol.dispose](): void {
    this.close();
    if (this.#isCreated) rmSync(this.#written, { force: true });
  }
}
