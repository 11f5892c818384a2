// The trace of a game: follows its documents and workers, and writes their records.
import {
  type ClockMark,
  cleanName,
  type Header,
  type KnownRecord,
  type PageClock,
  roundMs,
} from '@svc/trace';
import type { CDPSession } from 'puppeteer-core';
import type { TargetKind } from '../browser/follow-targets.ts';
import type { InputStep } from '../input/input-step.ts';
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

/** What a trace reports while it is recorded. */
export type PageReports = {
  /** Receives the error if the file cannot be written; nothing more is written then. */
  readonly onFault: (error: unknown) => void;
  /** Called when a document or worker draws for the first time, with the milliseconds since then. */
  readonly onFirstDraw?: ((ago_ms: number) => void) | undefined;
  /** Called for each step of the player, with its Unix time. Coordinates are those of the page. */
  readonly onInput?: ((at: number, step: InputStep) => void) | undefined;
  /** Whether `moveGamepad` is called. */
  readonly gamepads?: boolean;
};

type Point = { readonly x: number; readonly y: number };

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
  readonly #reports: PageReports;
  /** Where the page begins on the screen. */
  #origin: Point = { x: 0, y: 0 };
  #fault: unknown = null;
  /** Whether the trace has its name or was removed. The browser still sends messages while it ends. */
  #isOver = false;

  /** `base` is the address that is left out of names, or null. */
  constructor(path: string, base: string | null, header: TraceHeader, reports: PageReports) {
    const { onFirstDraw, onInput, gamepads = false } = reports;
    const [firstDraw, input] = [onFirstDraw !== undefined, onInput !== undefined];
    this.#names = chooseNames({ firstDraw, input, gamepads });
    this.#script = injectedScript(this.#names);
    this.#reports = reports;
    this.#file = new TraceFile(path);
    this.#merger = new RecordMerger((record) => this.#write(record), shortenNames(base));
    this.#header = header;
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

  /** Writes a line of the log at a time of the trace, by default now. Nothing is written before a document has begun to run. */
  putLog(level: 'error' | 'warn', text: string, t?: number): void {
    const { beganAt } = this.#merger;
    if (beganAt === null || this.#isOver) return;
    const now = roundMs(Math.max(0, Date.now() - beganAt));
    this.put({ type: 'log', t: t ?? now, level, text: cleanName(text) });
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
    const ends = this.#dispatch(this.#names.ending);
    await Promise.race([Promise.allSettled(ends), delay(LAST_LINES_MS)]);
  }

  /** Passes a step of a gamepad to the documents. */
  moveGamepad(step: string): void {
    if (this.#names.gamepad === null) return;
    // A failure means that the document is gone.
    for (const sent of this.#dispatch(this.#names.gamepad, step)) sent.catch(() => {});
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
      this.#reports.onFirstDraw?.(message.ago_ms);
      return;
    }
    if (message.kind === 'origin') {
      this.#origin = message;
      return;
    }
    const key = keyOf(place.session, place.context);
    if (message.kind === 'hello') {
      const document = this.#merger.add(kind, message.hello, place.session.id());
      this.#places.set(key, document);
      this.#open.set(document, place);
      if (!this.#file.isCreated) this.#begin(document);
      return;
    }
    const document = this.#places.get(key);
    if (document === undefined) return;
    if (message.kind === 'input') {
      const step = message.isOnScreen ? inPage(message.step, this.#origin) : message.step;
      this.#reports.onInput?.(document.hello.origin + message.at, step);
      return;
    }
    document.surface = message.surface;
    document.readLines(message.lines);
  }

  #dispatch(event: string, detail?: string): Promise<unknown>[] {
    const settings = JSON.stringify({ detail });
    const expression = `dispatchEvent(new CustomEvent(${JSON.stringify(event)},${settings}))`;
    return [...this.#open].map(([{ kind }, { session, context }]) =>
      session.send('Runtime.evaluate', {
        expression,
        ...(kind !== 'worker' && { contextId: context }),
      }),
    );
  }

  #begin({ beganAt }: GameDocument): void {
    const started_at = new Date(beganAt).toISOString();
    const { producer, ...rest } = this.#header;
    this.#guarded(() =>
      this.#file.begin({ vpt: 1, producer, started_at, sources: ['browser'], ...rest }),
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
      this.#reports.onFault(error);
    }
  }
}

/** A step whose coordinates are those of the screen, in the page. */
function inPage(step: InputStep, origin: Point): InputStep {
  return 'x' in step ? { ...step, x: step.x - origin.x, y: step.y - origin.y } : step;
}

function keyOf(session: CDPSession, context: number): string {
  return `${session.id()}:${context}`;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
