// The trace of a game: follows its documents and workers, and writes their records.
import type { ClockMark, Header, KnownRecord, PageClock } from '@svc/trace';
import type { CDPSession } from 'puppeteer-core';
import type { TargetKind } from '../browser/follow-targets.ts';
import { chooseNames, inject, injectedScript } from '../page/inject.ts';
import type { Names } from '../page/messages.ts';
import { type Message, readMessage } from '../page/read-message.ts';
import type { GameDocument } from './document.ts';
import { type Counts, RecordMerger } from './merge-records.ts';
import { shortenNames } from './shorten-names.ts';
import { TraceFile } from './trace-file.ts';

/** Longest wait for the last lines of the documents. A game in an endless loop does not answer. */
const LAST_LINES_MS = 3_000;

/** What is known before the game begins to run. */
export type TraceHeader = Omit<Header, 'vpt' | 'sources' | 'started_at'>;

/** Where a document or worker runs. */
type Place = { readonly session: CDPSession; readonly context: number };

export class PageTrace {
  readonly #names: Names;
  readonly #script: string;
  readonly #file: TraceFile;
  readonly #merger: RecordMerger;
  readonly #header: TraceHeader;
  readonly #places = new Map<string, GameDocument>();
  readonly #open = new Map<GameDocument, Place>();
  readonly #onFault: (error: unknown) => void;
  readonly #onFirstDraw: ((ago_ms: number) => void) | undefined;
  #fault: unknown = null;
  /** Whether the trace has its name or was removed. The browser still sends messages while it ends. */
  #isOver = false;

  /**
   * `base` is the address that is left out of names, or null. `onFault` receives the error if the file cannot be written; nothing
   * more is written then. `onFirstDraw` is called when a document or worker first draws.
   */
  constructor(
    path: string,
    base: string | null,
    header: TraceHeader,
    onFault: (error: unknown) => void,
    onFirstDraw?: (ago_ms: number) => void,
  ) {
    this.#names = chooseNames(onFirstDraw !== undefined);
    this.#script = injectedScript(this.#names);
    this.#onFirstDraw = onFirstDraw;
    this.#file = new TraceFile(path);
    this.#merger = new RecordMerger((record) => this.#write(record), shortenNames(base));
    this.#header = header;
    this.#onFault = onFault;
  }

  /** What the names of the marks begin with. */
  get markPrefix(): string {
    return this.#names.mark;
  }

  /** Whether a document of the game has begun to run. */
  get hasBegun(): boolean {
    return this.#file.isCreated;
  }

  get counts(): Counts {
    return this.#merger.counts;
  }

  /** Adds the collector to a target that does not run yet, and receives what it records. */
  follow(session: CDPSession, kind: TargetKind): void {
    session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name !== this.#names.binding) return;
      const message = readMessage(payload);
      if (message !== null) this.#receive(message, kind, { session, context: executionContextId });
    });
    session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      this.#close(session, executionContextId);
    });
    session.on('Runtime.executionContextsCleared', () => this.#close(session));
    inject(session, kind, this.#script, this.#names);
  }

  /** Closes what ran in a session that is gone. */
  unfollow(session: CDPSession): void {
    this.#close(session);
  }

  /** Writes a record that belongs to no document, such as the functions. */
  put(record: KnownRecord): void {
    this.#merger.put(record);
  }

  /** The thread that draws the game, by the marks of the documents. Null if none of them is known. */
  findClock(marks: ReadonlyMap<string, ClockMark>): PageClock | null {
    const { game, documents } = this.#merger;
    for (const document of game === null ? documents : [game, ...documents]) {
      const mark = marks.get(document.hello.mark);
      if (mark === undefined) continue;
      const ms = this.#merger.timeOf(document, document.hello.marked);
      return { thread: mark.thread, pid: mark.pid, origin: mark.ts - ms * 1000 };
    }
    return null;
  }

  /** Ends the collectors and waits for their last lines. */
  async endDocuments(): Promise<void> {
    const expression = `dispatchEvent(new Event(${JSON.stringify(this.#names.ending)}))`;
    const ends = [...this.#open].map(([{ kind }, { session, context }]) =>
      session.send('Runtime.evaluate', {
        expression,
        ...(kind !== 'worker' && { contextId: context }),
      }),
    );
    await Promise.race([Promise.allSettled(ends), delay(LAST_LINES_MS)]);
  }

  /**
   * Gives the file its name. Without `reason`, the trace has no end: it is partial. Throws Node's error if not everything could be
   * written; the file has its name then, too.
   */
  commit(reason: string | null): void {
    const t = this.counts.duration_ms;
    if (reason !== null) this.put({ type: 'end', t, reason });
    this.keep();
    if (this.#fault !== null) throw this.#fault;
  }

  /** Gives the file its name, with what was written so far. */
  keep(): void {
    this.#isOver = true;
    this.#file.commit();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#file[Symbol.dispose]();
  }

  #receive(message: Message, kind: TargetKind, place: Place): void {
    if (this.#isOver) return;
    if (message.kind === 'first draw') {
      this.#onFirstDraw?.(message.ago_ms);
      return;
    }
    const key = keyOf(place.session, place.context);
    if (message.kind === 'hello') {
      const document = this.#merger.add(kind, message.hello);
      this.#places.set(key, document);
      this.#open.set(document, place);
      if (!this.#file.isCreated) this.#begin(document);
      return;
    }
    const document = this.#places.get(key);
    if (document === undefined) return;
    document.surface = message.surface;
    document.readLines(message.lines);
  }

  #begin({ beganAt }: GameDocument): void {
    const started_at = new Date(beganAt).toISOString();
    const { producer, ...rest } = this.#header;
    this.#guarded(() =>
      this.#file.open({ vpt: 1, producer, started_at, sources: ['browser'], ...rest }),
    );
  }

  #close(session: CDPSession, context?: number): void {
    for (const [document, place] of this.#open) {
      if (place.session !== session || (context ?? place.context) !== place.context) continue;
      document.isOpen = false;
      this.#open.delete(document);
    }
  }

  #write(record: KnownRecord): void {
    this.#guarded(() => this.#file.put(record));
  }

  #guarded(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#file.close();
      this.#fault ??= error;
      this.#onFault(error);
    }
  }
}

function keyOf(session: CDPSession, context: number): string {
  return `${session.id()}:${context}`;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
