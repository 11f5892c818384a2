// Decodes text with a byte-order mark, as PowerShell and Windows editors write it, to UTF-8 without one, chunk by chunk.

/** Removes a UTF-8 mark, converts UTF-16 with a mark (either byte order) to UTF-8, and passes everything else unchanged. */
export class TextToUtf8 {
  readonly #visit: (bytes: Uint8Array) => void;
  readonly #encoder = new TextEncoder();
  #head: Uint8Array | null = new Uint8Array(0);
  #utf16: InstanceType<typeof TextDecoder> | null = null;

  constructor(visit: (bytes: Uint8Array) => void) {
    this.#visit = visit;
  }

  push(chunk: Uint8Array): void {
    if (this.#head === null) {
      this.#pass(chunk);
      return;
    }
    const head = new Uint8Array(this.#head.length + chunk.length);
    head.set(this.#head);
    head.set(chunk, this.#head.length);
    this.#head = head;
    if (head.length >= 3) this.#begin(head);
  }

  finish(): void {
    if (this.#head !== null) this.#begin(this.#head);
    if (this.#utf16 !== null) this.#emit(this.#encoder.encode(this.#utf16.decode()));
  }

  #begin(head: Uint8Array): void {
    this.#head = null;
    const [first, second, third] = head;
    if (first === 0xff && second === 0xfe) this.#utf16 = new TextDecoder('utf-16le');
    else if (first === 0xfe && second === 0xff) this.#utf16 = new TextDecoder('utf-16be');
    const hasUtf8Mark = first === 0xef && second === 0xbb && third === 0xbf;
    this.#pass(hasUtf8Mark ? head.subarray(3) : head);
  }

  #pass(chunk: Uint8Array): void {
    if (this.#utf16 === null) this.#emit(chunk);
    else this.#emit(this.#encoder.encode(this.#utf16.decode(chunk, { stream: true })));
  }

  #emit(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#visit(bytes);
  }
}
