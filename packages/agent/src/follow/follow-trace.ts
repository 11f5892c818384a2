// Follows a trace that the recorded program writes itself, and merges its records into the recording while they are written.
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from '@svc/contracts/agent';
import { codeOf, messageOf } from '@svc/contracts/caught';
import { cleanName, roundMs, type TraceRecord } from '@svc/trace';
import { settledWithin } from '../work/settled-within.ts';
import { GrowingFile, MISSING, readStart } from './growing-file.ts';
import { TraceMerger } from './merge-trace.ts';

/** Milliseconds between two looks at the file. Writers write at least as often. */
const LOOK_MS = 100;

/** How long the end of a recording waits for the last lines of a program that still runs. */
const LAST_LINES_MS = 150;

/** How long the end of a recording reads the rest of the file. The session's flush is limited to 5 s. */
const STOP_MS = 3_500;

/** The start of a process is known to the second. */
const START_TOLERANCE_MS = 1_000;

/** If more bytes than this are not read yet, the status says so. */
const BEHIND_BYTES = 4 * 1024 * 1024;

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
  /** Whether the recording takes more records. */
  isOpen(): boolean;
  /** Appends the records. Resolves with the number of those that were written. Never rejects. */
  append(records: readonly TraceRecord[]): Promise<number>;
  /** Called after the last records of a trace, perhaps repeatedly. */
  readonly onTraceEnd: () => void;
  /** Called after every change of the state. */
  readonly onChange: () => void;
};

export type FollowedTrace = {
  /** The state for the status. */
  readonly probe: Probe;
  /** The number of records that are in the recording. */
  readonly merged: number;
  /** The program is let run now: a trace that is there already is of an earlier run. */
  programStarts(): void;
  /** Merges what the file has up to now. Never rejects. */
  stop(): Promise<void>;
};

/** How the following ended: the whole file was read, it was not read in time, the recording was full, or the program never ran. */
type End = 'whole' | 'late' | 'full' | 'never';

export function followTrace(options: FollowOptions): FollowedTrace {
  return new Follower(options);
}

class Follower implements FollowedTrace {
  readonly #options: FollowOptions;
  readonly #name: string;
  readonly #file: GrowingFile;
  readonly #merger: TraceMerger;
  readonly #begun = Promise.withResolvers<void>();
  readonly #wake = new AbortController();
  readonly #done: Promise<void>;
  /** The start of the file that was there before the program ran. Null: the program ran before. */
  #startBefore: Buffer | null = null;
  #hasBegun = false;
  #batch: TraceRecord[] = [];
  /** The number of records of svc itself in the batch, and of those of the trace that are in the recording. */
  #noted = 0;
  #merged = 0;
  /** Why the file cannot be read now: `does not exist yet`, or that an error occurred. */
  #obstacle: string | null = null;
  #stopBy = Number.POSITIVE_INFINITY;
  #end: End | null = null;
  #probe: Probe = { id: 'follow', state: 'running' };

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#name = cleanName(basename(options.path)).replaceAll(/\p{Cc}/gu, '�');
    this.#file = new GrowingFile(options.path);
    this.#merger = new TraceMerger({
      ...{ name: this.#name, startedAtMs: options.startedAtMs, now: options.now },
      isEarlier: (beganMs) => this.#isEarlier(beganMs),
      append: (record) => this.#batch.push(record),
      note: (record) => {
        this.#noted++;
        this.#batch.push(record);
      },
      onReplaced: options.onTraceEnd,
    });
    this.#obstacle = options.programWaits ? 'is read when the program runs' : MISSING;
    this.#probe = this.#describe();
    if (!options.programWaits) this.#begin();
    this.#done = this.#follow();
  }

  get probe(): Probe {
    return this.#probe;
  }

  get merged(): number {
    return this.#merged;
  }

  programStarts(): void {
    this.#startBefore = readStart(this.#options.path);
    this.#begin();
  }

  async stop(): Promise<void> {
    const isWriting = this.#merger.state.is === 'merging' && this.#options.isRunning();
    if (isWriting) await sleep(LAST_LINES_MS);
    this.#stopBy = performance.now() + STOP_MS;
    this.#begun.resolve();
    this.#wake.abort();
    // Reading may be blocked in the kernel.
    if (!(await settledWithin(this.#done, STOP_MS + LOOK_MS))) this.#end = 'late';
    if (this.#end === 'late' && this.#merger.state.is === 'merging') this.#loseRest();
    this.#update();
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  async #follow(): Promise<void> {
    await this.#begun.promise;
    const end = await this.#readToEnd();
    this.#merger.finish();
    await this.#append();
    await this.#file.close();
    this.#end ??= end;
    this.#update();
  }

  async #readToEnd(): Promise<End> {
    if (!this.#hasBegun) return 'never';
    while (performance.now() < this.#stopBy) {
      if (!this.#options.isOpen()) return 'full';
      // The last look begins after the end, so that it sees what a program wrote before it exited.
      const isLast = this.#wake.signal.aborted;
      const hasMore = await this.#look();
      this.#update();
      if (hasMore) continue;
      if (isLast) return 'whole';
      await sleep(LOOK_MS, null, { signal: this.#wake.signal, ref: false }).catch(() => {});
    }
    return 'late';
  }

  /** Reads a part of the file. Returns whether there may be more. */
  async #look(): Promise<boolean> {
    let hasMore = false;
    try {
      const step = await this.#file.next();
      this.#obstacle = step.is === 'bytes' ? null : step.reason;
      if (step.is === 'end') this.#merger.caughtUp();
      if (step.is === 'bytes') {
        if (step.isNew) this.#merger.begin();
        hasMore = this.#merger.push(step.bytes);
        if (!hasMore) await this.#file.skip();
      }
    } catch (error) {
      this.#obstacle = `cannot be read (${codeOf(error) || messageOf(error)})`;
      await this.#file.close();
    }
    await this.#append();
    return hasMore;
  }

  async #append(): Promise<void> {
    const records = this.#batch;
    const noted = this.#noted;
    this.#batch = [];
    this.#noted = 0;
    const written = records.length === 0 ? 0 : await this.#options.append(records);
    this.#merged += Math.max(0, written - noted);
    if (this.#merger.state.is !== 'merging') this.#options.onTraceEnd();
  }

  /** A trace that was there before svc let the program run, or that began before the process. */
  #isEarlier(beganMs: number): boolean {
    const before = this.#startBefore;
    if (before === null) {
      return beganMs < this.#options.processStartedAtMs - START_TOLERANCE_MS;
    }
    return before.length > 0 && this.#file.start.subarray(0, before.length).equals(before);
  }

  #loseRest(): void {
    const t = roundMs(this.#merger.latestMs);
    const duration_ms = roundMs(Math.max(0, this.#options.now() - t));
    const loss = { type: 'loss', t, reason: 'probe_lost', duration_ms, probe: 'follow' } as const;
    void this.#options.append([loss]);
  }

  #update(): void {
    const before = this.#probe;
    this.#probe = this.#describe();
    if (before.state !== this.#probe.state || before.reason !== this.#probe.reason) {
      this.#options.onChange();
    }
  }

  #describe(): Probe {
    const id = 'follow';
    const { state } = this.#merger;
    if (this.#end === 'full') {
      const reason = `The rest of ${this.#name} is not merged, because the recording is full`;
      return { id, state: 'failed', reason };
    }
    if (state.is === 'refused') return { id, state: 'failed', reason: state.reason };
    if (this.#end !== null) return this.#describeEnd(this.#end);
    const reason = 'reason' in state ? state.reason : this.#presentReason();
    return { id, state: 'running', ...(reason !== null && { reason }) };
  }

  #presentReason(): string | null {
    if (this.#obstacle !== null) return `${this.#name} ${this.#obstacle}`;
    const { part, restBytes } = this.#file.progress;
    if (restBytes > BEHIND_BYTES) {
      return `svc has read ${Math.floor(part * 100)} % of ${this.#name}`;
    }
    return this.#futureText();
  }

  #describeEnd(end: End): Probe {
    const id = 'follow';
    const reason =
      end === 'late'
        ? `The end of ${this.#name} was not merged, because svc could not read it in time`
        : (this.#merger.missing ?? this.#futureText());
    if (this.#merged === 0) {
      return { id, state: 'unavailable', reason: reason ?? this.#emptyText() };
    }
    return reason === null ? { id, state: 'off' } : { id, state: 'failed', reason };
  }

  #emptyText(): string {
    const { state } = this.#merger;
    if (state.is === 'earlier') return state.reason;
    if (this.#end === 'never' || this.#obstacle === MISSING) {
      return `The program has not written ${this.#name}`;
    }
    if (this.#obstacle !== null) return `${this.#name} ${this.#obstacle}`;
    return state.is === 'unread'
      ? `${this.#name} is empty`
      : `${this.#name} has no records of the time of the recording`;
  }

  #futureText(): string | null {
    const count = this.#merger.fromFuture;
    if (count === 0) return null;
    const records = count === 1 ? '1 record' : `${count.toLocaleString('en-US')} records`;
    return `${records} of ${this.#name} left out because of times in the future. If the clock of the system was changed, start the game again`;
  }
}
