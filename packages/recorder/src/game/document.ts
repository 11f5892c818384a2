// A document or worker of the game: its clock, where it draws, and the records of its collector.
import { type KnownRecord, type TraceRecord, VptReader } from '@svc/trace';
import type { TargetKind } from '../browser/follow-targets.ts';
import type { Hello, Surface } from '../page/messages.ts';

export class GameDocument {
  /** Documents are counted from 0. */
  readonly index: number;
  readonly kind: TargetKind;
  readonly hello: Hello;
  /** Identifies its thread. Documents of one process share it. */
  readonly thread: string;
  surface: Surface = { own: 0, transferred: 0, worker: false };
  isOpen = true;
  readonly #encoder = new TextEncoder();
  readonly #reader: VptReader;
  #isReadable = true;

  /** `onRecord` receives records whose times count from `hello.began`. */
  constructor(
    index: number,
    kind: TargetKind,
    hello: Hello,
    thread: string,
    onRecord: (record: KnownRecord) => void,
  ) {
    this.index = index;
    this.kind = kind;
    this.hello = hello;
    this.thread = thread;
    this.#reader = new VptReader({
      record: (record: TraceRecord) => {
        if (record.type !== 'unknown' && record.type !== 'end') onRecord(record);
      },
    });
  }

  /** When its trace began, in milliseconds of Unix time. */
  get beganAt(): number {
    return this.hello.origin + this.hello.began;
  }

  /** Reads lines. A page that replaced functions of the language can pass on anything: after a fault, nothing more is read. */
  readLines(lines: string): void {
    if (!this.#isReadable) return;
    try {
      this.#reader.push(this.#encoder.encode(lines));
    } catch {
      this.#isReadable = false;
    }
  }
}
