// The file of a recording. It has its final name only when the recording has ended; until then, `.partial` is added.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { formatHeader, formatKnownRecord, type Header, type KnownRecord } from '@svc/trace';

export class TraceFile {
  readonly #path: string;
  readonly #written: string;
  #file: number | null = null;
  #isCreated = false;

  constructor(path: string) {
    this.#path = path;
    this.#written = `${path}.partial`;
  }

  /** Whether the file was created. */
  get isCreated(): boolean {
    return this.#isCreated;
  }

  /** Creates the file. Throws Node's error if that is impossible. */
  open(header: Header): void {
    this.#file = openSync(this.#written, 'w', 0o644);
    this.#isCreated = true;
    this.#write(formatHeader(header));
  }

  /** Appends a record. Throws Node's error, for example if the disk is full. */
  put(record: KnownRecord): void {
    this.#write(formatKnownRecord(record));
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

  #write(text: string): void {
    if (this.#file === null) return;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }
}
