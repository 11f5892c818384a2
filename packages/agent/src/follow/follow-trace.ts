// Follows a trace that the recorded program writes itself, and merges its records into the recording while they are written.
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from '@svc/contracts/agent';
import { messageOf } from '@svc/contracts/caught';
import { cleanName, type Header, TraceError, type TraceRecord, VptReader } from '@svc/trace';
import { settledWithin } from '../work/settled-within.ts';
import { GrowingFile } from './growing-file.ts';
import { RecordPlacer } from './place-records.ts';

/** Milliseconds between two looks at the file. Writers write at least as often. */
const LOOK_MS = 100;

/** How long the end of a recording waits for the last lines of a program that still runs. */
const LAST_LINES_MS = 150;

/** How long the end of a recording waits for the rest of the file. The session's flush is limited to 5 s. */
const STOP_MS = 2_000;

/** The start of a process is known to the second. */
const START_TOLERANCE_MS = 1_000;

export type FollowOptions = {
  /** The absolute path of the trace. It may not exist yet. */
  readonly path: string;
  /** The time of the clock at trace time 0 of the recording, in milliseconds since 1970. */
  readonly startedAtMs: number;
  /** When the process started, by the same clock. A trace that began earlier is of an earlier run. */
  readonly processStartedAtMs: number;
  /** Whether the program waits for its start. Then nothing is read before `programStarts`. */
  readonly programWaits: boolean;
  /** The present trace time. */
  now(): number;
  /** Whether the process runs. */
  isRunning(): boolean;
  /** Appends the records. Resolves when they are written. */
  append(records: readonly TraceRecord[]): Promise<void>;
  /** Called after the last records of a trace, perhaps repeatedly. */
  readonly onTraceEnd: () => void;
  /** Called after every change of the state. */
  readonly onChange: () => void;
};

export type FollowedTrace = {
  /** The state for the status. */
  readonly probe: Probe;
  /** The program is let run now: a trace that began before is of an earlier run. */
  programStarts(): void;
  /** Merges what the file has up to now. Never rejects. */
  stop(): Promise<void>;
};

export function followTrace(options: FollowOptions): FollowedTrace {
  return new Follower(options);
}

/** The producer of recordings of svc, which are not followed: a recording that follows itself would never end. */
export const AGENT_PRODUCER = 'svc agent';

/** Why a trace is not followed. */
class Refusal extends Error {}

/** What is known of the file. */
type State =
  /** There is nothing to merge, or not any more. The reason states why. */
  | { readonly is: 'waiting'; readonly reason: string }
  | { readonly is: 'reading'; readonly reader: VptReader; readonly placer: RecordPlacer | null }
  /** The file is not read before it is written again. */
  | { readonly is: 'refused'; readonly reason: string };

class Follower implements FollowedTrace {
  readonly #options: FollowOptions;
  readonly #name: string;
  readonly #file: GrowingFile;
  readonly #wake = new AbortController();
  readonly #done: Promise<void>;
  readonly #begun = Promise.withResolvers<void>();
  #notBeforeMs: number;
  #hasBegun = false;
  #generation = 0;
  #merged = 0;
  #batch: TraceRecord[] = [];
  #stopBy = Number.POSITIVE_INFINITY;
  #stopped = false;
  #state: State;
  #probe: Probe;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#name = cleanName(basename(options.path));
    this.#file = new GrowingFile(options.path);
    this.#notBeforeMs = options.processStartedAtMs - START_TOLERANCE_MS;
    this.#state = { is: 'waiting', reason: `${this.#name} does not exist yet` };
    this.#probe = this.#describe();
    if (!options.programWaits) this.#startReading();
    this.#done = this.#follow();
  }

  get probe(): Probe {
    return this.#probe;
  }

  programStarts(): void {
    this.#notBeforeMs = Date.now();
    this.#startReading();
  }

  async stop(): Promise<void> {
    const isWriting = this.#state.is === 'reading' && this.#options.isRunning();
    if (isWriting) await sleep(LAST_LINES_MS);
    this.#stopBy = this.#hasBegun ? performance.now() + STOP_MS : 0;
    this.#begun.resolve();
    this.#wake.abort();
    // Reading may be blocked in the kernel.
    if (!(await settledWithin(this.#done, STOP_MS + LOOK_MS))) this.#lose();
    this.#stopped = true;
    this.#change(this.#state);
  }

  #startReading(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  async #follow(): Promise<void> {
    await this.#begun.promise;
    while (performance.now() < this.#stopBy) {
      // The last look begins after the end, so that it sees what a program wrote before it exited.
      const isLast = this.#wake.signal.aborted;
      const hasMore = await this.#step();
      if (hasMore) continue;
      if (isLast) break;
      await sleep(LOOK_MS, null, { signal: this.#wake.signal, ref: false }).catch(() => {});
    }
    if (performance.now() >= this.#stopBy && this.#state.is === 'reading') this.#lose();
    await this.#file.close().catch(() => {});
  }

  /** Reads a part of the file. Returns whether there may be more. */
  async #step(): Promise<boolean> {
    try {
      const step = await this.#file.next();
      if (step.is === 'missing') this.#wait(`${this.#name} ${step.reason}`);
      if (step.is === 'end') await this.#placeEarlier();
      if (step.is !== 'bytes') return false;
      if (step.isNew) this.#begin();
      if (this.#state.is !== 'reading') {
        await this.#file.skip();
        return false;
      }
      this.#state.reader.push(step.bytes);
      await this.#append();
      return true;
    } catch (error) {
      await this.#refuse(error);
      return false;
    }
  }

  /** A file begins: the first one, or another one in its place. */
  #begin(): void {
    this.#options.onTraceEnd();
    const reader = new VptReader({
      header: (header) => this.#readHeader(header, reader),
      record: (record) => this.#readRecord(record),
    });
    this.#state = { is: 'reading', reader, placer: null };
  }

  #readHeader(header: Header, reader: VptReader): void {
    const { startedAtMs, now } = this.#options;
    const name = this.#name;
    if (header.producer.name === AGENT_PRODUCER) {
      throw new Refusal(`${name} is a recording of svc, and not the trace of a game`);
    }
    if (header.sources.length !== 1 || header.sources[0] !== 'native') {
      throw new Refusal(`${name} is not of a native game: it has records of another source`);
    }
    if (header.started_at === null) {
      throw new Refusal(`${name} does not state when it began, so its times are unknown`);
    }
    const beganMs = Date.parse(header.started_at);
    if (beganMs < this.#notBeforeMs) {
      this.#wait(`${name} is of an earlier run, and the program has not written a new one yet`);
      return;
    }
    const placer = new RecordPlacer({
      name,
      offsetMs: beganMs - startedAtMs,
      generation: ++this.#generation,
      now,
      append: (record) => this.#batch.push(record),
    });
    this.#batch.push(this.#firstLog(header));
    this.#change({ is: 'reading', reader, placer });
  }

  #readRecord(record: TraceRecord): void {
    if (this.#state.is !== 'reading') return;
    const { placer } = this.#state;
    placer?.place(record);
    if (record.type !== 'end') return;
    placer?.flush();
    this.#wait(`The program has ended its trace ${this.#name}`);
  }

  /** All records so far are read, so nothing more is known of the assets of before the start. */
  async #placeEarlier(): Promise<void> {
    if (this.#state.is !== 'reading') return;
    this.#state.placer?.flush();
    await this.#append();
  }

  async #append(): Promise<void> {
    const records = this.#batch;
    if (records.length > 0) {
      this.#batch = [];
      this.#merged += records.length;
      await this.#options.append(records);
    }
    if (this.#state.is !== 'reading') this.#options.onTraceEnd();
    this.#change(this.#state);
  }

  #wait(reason: string): void {
    this.#change({ is: 'waiting', reason });
  }

  /** Keeps what was read before the error. */
  async #refuse(error: unknown): Promise<void> {
    // What follows the end, or is of an earlier run, is not read.
    if (error instanceof TraceError && this.#state.is !== 'reading') return await this.#append();
    const what = messageOf(error);
    const reason = error instanceof Refusal ? what : `${this.#name} is not followed: ${what}`;
    const placer = this.#state.is === 'reading' ? this.#state.placer : null;
    placer?.flush();
    this.#state = { is: 'refused', reason };
    await this.#append();
    if (placer !== null) this.#lose();
  }

  #lose(): void {
    const t = Math.max(0, this.#options.now());
    const loss: TraceRecord = { type: 'loss', t, reason: 'probe_lost', probe: 'follow' };
    void this.#options.append([loss]);
  }

  #change(state: State): void {
    this.#state = state;
    const before = this.#probe;
    this.#probe = this.#describe();
    if (before.state !== this.#probe.state || before.reason !== this.#probe.reason) {
      this.#options.onChange();
    }
  }

  #describe(): Probe {
    const id = 'follow';
    const state = this.#state;
    if (state.is === 'refused') return { id, state: 'failed', reason: state.reason };
    const reason = state.is === 'waiting' ? state.reason : this.#futureText(state.placer);
    if (!this.#stopped) return { id, state: 'running', ...(reason !== null && { reason }) };
    if (this.#merged > 0) return { id, state: 'off' };
    return { id, state: 'unavailable', reason: reason ?? `${this.#name} has no header` };
  }

  #futureText(placer: RecordPlacer | null): string | null {
    const count = placer?.fromFuture ?? 0;
    if (count === 0) return null;
    const records = count === 1 ? '1 record' : `${count.toLocaleString('en-US')} records`;
    return `${records} of ${this.#name} with times in the future left out. If the clock of the system was changed, start the game again`;
  }

  #firstLog({ producer, gpu }: Header): TraceRecord {
    const by = `${cleanName(producer.name)} ${cleanName(producer.version)}`;
    const graphics =
      gpu === undefined
        ? ''
        : ` Graphics: ${cleanName(gpu.name)}${gpu.software ? ', which renders on the CPU' : ''}.`;
    const text = `svc merges ${this.#name}, written by ${by}.${graphics}`;
    return { type: 'log', t: Math.max(0, this.#options.now()), level: 'info', text };
  }
}
