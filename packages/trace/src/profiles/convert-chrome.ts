// Converts a performance trace of Chrome (the trace event format) to `.vpt` text. The same input always gives the same bytes.

import type { KnownRecord } from '../format/records.ts';
import { formatInstant, isInstant } from '../vpt/field-checks.ts';
import { ChromeRecording } from './chrome-recording.ts';
import { writeRecording } from './chrome-records.ts';
import {
  type Conversion,
  EVENT_BYTES,
  emitTrace,
  importHeader,
  notAProfile,
} from './conversion.ts';
import { fieldsOf, parseBytes, textOf } from './json-fields.ts';
import { JsonSplitter, type JsonVisitor } from './split-json.ts';

const EVENTS = 'traceEvents';

/**
 * Call `push` with the bytes, then `finish`, which emits the trace as whole lines. The file is an object with `traceEvents`, or an
 * array of events. An array without its end, as Chrome leaves it when it is killed, is torn. Throws TraceError `not_a_profile` if
 * the file has nothing to show. Keeps what is written in memory, but not the events.
 */
export class ChromeConverter implements JsonVisitor {
  readonly #emit: (text: string) => void;
  readonly #splitter = new JsonSplitter(this, EVENT_BYTES);
  readonly #recording = new ChromeRecording();
  #events = 0;
  #startedAt: string | null = null;
  #gpu = '';

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  finish(): Conversion {
    const torn = this.#splitter.finish() !== 'complete';
    const write = (put: (record: KnownRecord) => void): Conversion => {
      const samples = writeRecording(this.#recording, put);
      return { torn, unreadable: this.#recording.unreadable + samples };
    };
    const empty = () => notAProfile(this.#emptyText());
    return emitTrace(this.#emit, importHeader(this.#startedAt, this.#gpu), write, empty);
  }

  isList(key: string): boolean {
    return key === EVENTS || key === '';
  }

  element(_key: string, bytes: Uint8Array): void {
    this.#events++;
    this.#recording.take(parseBytes(bytes));
  }

  value(key: string, bytes: Uint8Array): void {
    if (key !== 'metadata') return;
    const metadata = fieldsOf(parseBytes(bytes));
    const time = textOf(metadata['startTime']);
    this.#gpu = textOf(metadata['gpu-gl-renderer']);
    if (isInstant(time)) this.#startedAt = formatInstant(Date.parse(time));
  }

  skipped(): void {
    this.#recording.unreadable++;
  }

  #emptyText(): string {
    return this.#events === 0
      ? 'Cannot read the Chrome trace: it has no events. Record again, and wait until Chrome has saved the whole file'
      : `Cannot read the Chrome trace: none of its ${this.#events} events is a frame, a task, a load or a sample of a page. Record the page in the Performance panel of DevTools`;
  }
}
