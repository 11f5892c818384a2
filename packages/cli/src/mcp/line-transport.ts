// The transport of `svc mcp`: one JSON message a line on standard input and output. A line is bounded, and a line that is no
// message is answered with an error instead of ending the server.
import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { DRAIN_MS, LINE_BYTES } from './limits.ts';

const LF = 0x0a;
/** The codes of JSON-RPC 2.0 (https://www.jsonrpc.org/specification, section 5.1). */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export class LineTransport implements Transport {
  // The server assigns these three.
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #onClosed: () => void;
  #line: Buffer[] = [];
  #bytes = 0;
  /** The requests without an answer. */
  readonly #open = new Set<string | number>();
  #isEnding = false;
  #isClosed = false;

  /** Calls `onClosed` once, when standard input has ended and all requests are answered, or when output is gone. */
  constructor(input: Readable, output: Writable, onClosed: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onClosed = onClosed;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd);
    this.#input.on('error', this.#onEnd);
    this.#output.on('error', this.#onGone).on('close', this.#onGone);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const isAnswer = !('method' in message);
    return new Promise((resolve) => {
      this.#output.write(`${JSON.stringify(message)}\n`, () => {
        resolve();
        if (isAnswer && message.id !== undefined) this.#settle(message.id);
      });
    });
  }

  /** Stops reading. Does not close the streams. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    this.#output.off('error', this.#onGone).off('close', this.#onGone);
    this.#input.pause();
    this.#line = [];
    this.onclose?.();
    this.#onClosed();
  }

  readonly #onData = (chunk: Buffer): void => {
    for (let rest = chunk; rest.length > 0 && !this.#isClosed; ) {
      const end = rest.indexOf(LF);
      this.#add(end < 0 ? rest : rest.subarray(0, end));
      if (end < 0) return;
      this.#finishLine();
      rest = rest.subarray(end + 1);
    }
  };

  /** Bytes of a line beyond the limit are counted and dropped. */
  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > LINE_BYTES) this.#line = [];
    else this.#line.push(part);
  }

  #finishLine(): void {
    const text = Buffer.concat(this.#line).toString('utf8').trim();
    const isTooLong = this.#bytes > LINE_BYTES;
    this.#line = [];
    this.#bytes = 0;
    if (isTooLong) this.#reject(INVALID_REQUEST, `A message may have ${LINE_BYTES} bytes.`);
    else if (text !== '') this.#receive(text);
  }

  #receive(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#reject(PARSE_ERROR, 'The line is not JSON.');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#reject(INVALID_REQUEST, 'The line is not a message of JSON-RPC 2.0.');
      return;
    }
    if ('method' in message && 'id' in message) this.#open.add(message.id);
    this.onmessage?.(message);
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {};
      if (typeof requestId === 'string' || typeof requestId === 'number') this.#settle(requestId);
    }
  }

  /** Answers a line whose id is unknown. */
  #reject(code: number, message: string): void {
    this.#output.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`,
    );
  }

  readonly #onEnd = (): void => {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#bytes > 0) this.#finishLine();
    if (this.#open.size === 0) this.#onGone();
    else setTimeout(this.#onGone, DRAIN_MS).unref();
  };

  readonly #onGone = (): void => {
    void this.close();
  };

  #settle(id: string | number): void {
    this.#open.delete(id);
    if (this.#isEnding && this.#open.size === 0) this.#onGone();
  }
}
