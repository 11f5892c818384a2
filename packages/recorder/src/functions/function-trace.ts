// Records the functions of the game, and writes them to the trace: when the recording ends, or when the browser's buffer fills up.
import {
  type ClockMark,
  type KnownRecord,
  type PageClock,
  PageTimeline,
  roundMs,
  TimelineSegment,
} from '@svc/trace';
import type { Connection } from 'puppeteer-core';
import { INJECTED_URL } from '../page/inject.ts';
import { BrowserTrace } from './browser-trace.ts';

/** The trace that the functions are written to. */
export type FunctionsTarget = {
  /** What the names of the marks begin with. */
  readonly markPrefix: string;
  put(record: KnownRecord): void;
  /** The clock of the game by the marks that its documents have set. Null if none is known. */
  findClock(marks: ReadonlyMap<string, ClockMark>): PageClock | null;
};

/** The code that is injected into the page. */
const OWN = { url: INJECTED_URL, name: '(svc record)' };

export class FunctionTrace {
  readonly #trace: BrowserTrace;
  readonly #target: FunctionsTarget;
  readonly #timeline: PageTimeline;
  readonly #marks = new Map<string, ClockMark>();
  /** The emptying of the buffer that runs at present. */
  #emptying: Promise<void> | null = null;
  #isEnding = false;
  #isTracing = false;

  constructor(connection: Connection, target: FunctionsTarget) {
    this.#trace = new BrowserTrace(connection, () => this.#empty());
    this.#target = target;
    this.#timeline = new PageTimeline((record) => target.put(record), OWN);
  }

  async start(): Promise<void> {
    await this.#trace.start();
    this.#isTracing = true;
  }

  /** Writes everything that is not written yet. Call it once, as the last. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#emptying;
    // It was not started again if the recording ended meanwhile.
    if (this.#isTracing) this.#write(await this.#read());
  }

  /** Empties the buffer of the browser. Nothing is recorded until the trace has started again. */
  #empty(): void {
    if (this.#emptying !== null || this.#isEnding) return;
    const from = performance.now();
    const work = async (): Promise<void> => {
      const segment = await this.#read();
      if (!this.#isEnding) await this.start();
      const duration = performance.now() - from;
      const latest = this.#write(segment);
      this.#target.put({
        type: 'loss',
        t: roundMs(latest),
        reason: 'buffer_full',
        probe: 'stacks',
        duration_ms: roundMs(duration),
      });
      this.#emptying = null;
    };
    this.#emptying = work().catch(() => {
      // The browser is gone. The recording ends for that reason.
    });
  }

  async #read(): Promise<TimelineSegment> {
    const segment = new TimelineSegment(this.#target.markPrefix);
    this.#isTracing = false;
    await this.#trace.end(segment);
    for (const [label, mark] of segment.marks) this.#marks.set(label, mark);
    return segment;
  }

  /** Returns the time of the last sample. */
  #write(segment: TimelineSegment): number {
    const clock = this.#target.findClock(this.#marks);
    return clock === null ? 0 : this.#timeline.write(segment, clock);
  }
}
