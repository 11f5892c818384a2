// Reads PSS of the target at its own interval in a worker thread, and keeps the latest value with
// its age and cost. If readings are expensive, they become rarer.
import type { Worker } from 'node:worker_threads';
import type { Probe } from '@svc/contracts/agent';
import { messageOf } from '@svc/contracts/caught';
import type { PinnedProcess } from './pin-process.ts';
import { PSS_READY, type PssReading, type PssRole } from './pss-thread.ts';

/** The latest reading. `readAtMs` is on the monotonic clock. */
type PssSample = {
  readonly pssBytes: number;
  readonly costMs: number;
  readonly readAtMs: number;
};

export type PssWatch = {
  /** Resolves when readings return at once. A thread takes a moment to start. */
  readonly ready: Promise<void>;
  /**
   * Requests a reading if one is due. Resolves when the reading is complete, or at once if none is
   * running.
   */
  refresh(nowMs: number): Promise<void>;
  readonly latest: PssSample | null;
  readonly probe: Probe;
  /** Milliseconds between two readings: those that were asked for, or more if readings are expensive. */
  readonly intervalMs: number;
  stop(): Promise<void>;
};

/** The most of the target's time that readings may take, because they hold its memory lock. */
const MOST_SHARE = 0.01;

/** The cost is the median of three to five readings, because a single one may be interrupted. */
const COSTS_KEPT = 5;
const FEWEST_COSTS = 3;

/** Starts to watch. `startThread` creates the worker. */
export function watchPss(
  process: PinnedProcess,
  intervalMs: number,
  startThread: (role: PssRole) => Worker,
): PssWatch {
  const { folder, pssDenied } = process;
  if (folder === null || pssDenied !== null) return deniedWatch(pssDenied ?? 'There is no /proc');
  return new ThreadedPssWatch(folder, intervalMs, startThread);
}

/** Reads in a thread. A thread that fails is replaced at the next reading. */
class ThreadedPssWatch implements PssWatch {
  readonly #folder: string;
  readonly #askedMs: number;
  readonly #startThread: (role: PssRole) => Worker;
  readonly #ready = Promise.withResolvers<void>();
  readonly #costs: number[] = [];
  #intervalMs: number;
  #latest: PssSample | null = null;
  #trouble: Probe | null = null;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #pending: PromiseWithResolvers<void> | null = null;
  #worker: Worker | null = null;

  constructor(folder: string, intervalMs: number, startThread: (role: PssRole) => Worker) {
    this.#folder = folder;
    this.#askedMs = intervalMs;
    this.#intervalMs = intervalMs;
    this.#startThread = startThread;
    this.#tryTo(() => {
      this.#worker = this.#start();
    });
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get latest(): PssSample | null {
    return this.#latest;
  }

  get probe(): Probe {
    return this.#trouble ?? runningProbe(this.#costs, this.#askedMs, this.#intervalMs);
  }

  get intervalMs(): number {
    return this.#intervalMs;
  }

  refresh(nowMs: number): Promise<void> {
    // A tick may come slightly early. A reading belongs to the tick nearest to its time.
    const isDue = nowMs - this.#askedAtMs >= this.#intervalMs - 500;
    if (this.#pending !== null || !isDue) return this.#pending?.promise ?? Promise.resolve();
    this.#askedAtMs = nowMs;
    const reading = Promise.withResolvers<void>();
    this.#pending = reading;
    this.#tryTo(() => {
      this.#worker ??= this.#start();
      this.#worker.postMessage('read');
    });
    return reading.promise;
  }

  async stop(): Promise<void> {
    this.#pending?.resolve();
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = this.#startThread({ role: 'pss', folder: this.#folder });
    worker.unref();
    worker.on('message', (message: PssReading | typeof PSS_READY) => {
      if (message === PSS_READY) this.#ready.resolve();
      else this.#take(message);
    });
    worker.on('error', ({ message }) => {
      this.#worker = null;
      this.#ready.resolve();
      const reason = `The thread that reads PSS failed: ${message}; svc starts another`;
      this.#take({ outcome: 'failed', reason });
    });
    return worker;
  }

  /** If the system has no room for another thread, the start throws. It counts as a failed reading. */
  #tryTo(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ready.resolve();
      const reason = `The thread that reads PSS could not be started: ${messageOf(error)}; svc tries again`;
      this.#take({ outcome: 'failed', reason });
    }
  }

  #take(reading: PssReading): void {
    this.#trouble = troubleOf(reading);
    if (reading.outcome === 'read') {
      const { pssBytes, costMs } = reading;
      this.#latest = { pssBytes, costMs, readAtMs: performance.now() };
      this.#costs.push(costMs);
      if (this.#costs.length > COSTS_KEPT) this.#costs.shift();
      this.#intervalMs = affordableInterval(this.#costs, this.#askedMs, this.#intervalMs);
    } else if (reading.outcome !== 'failed') this.#latest = null;
    // A failed reading is cheap, so the next tick tries again. Starting another thread is not cheap.
    else if (this.#worker !== null) this.#askedAtMs = Number.NEGATIVE_INFINITY;
    this.#pending?.resolve();
    this.#pending = null;
  }
}

/**
 * The state of the probe after a reading without a value. Null after a reading with a value, or if
 * the process has exited.
 */
function troubleOf(reading: PssReading): Probe | null {
  if (reading.outcome === 'denied') return unavailable(reading.reason);
  if (reading.outcome !== 'failed') return null;
  return { id: 'pss', state: 'warning', reason: reading.reason };
}

function deniedWatch(reason: string): PssWatch {
  return {
    ready: Promise.resolve(),
    refresh: () => Promise.resolve(),
    latest: null,
    probe: unavailable(reason),
    intervalMs: 0,
    stop: () => Promise.resolve(),
  };
}

function unavailable(reason: string): Probe {
  return { id: 'pss', state: 'unavailable', reason };
}

/**
 * The interval, in ms, at which readings with these costs take at most MOST_SHARE of the time: at
 * least `askedMs`, in whole seconds. It becomes shorter again only if half of `nowMs` is enough, so
 * that it does not change with every reading.
 */
export function affordableInterval(
  costs: readonly number[],
  askedMs: number,
  nowMs: number,
): number {
  if (costs.length < FEWEST_COSTS) return nowMs;
  const least = Math.max(askedMs, Math.ceil(usualCost(costs) / MOST_SHARE / 1000) * 1000);
  return least > nowMs || least * 2 <= nowMs ? least : nowMs;
}

function runningProbe(costs: readonly number[], askedMs: number, intervalMs: number): Probe {
  if (intervalMs <= askedMs) return { id: 'pss', state: 'running' };
  const cost = usualCost(costs).toFixed(1);
  const reason = `Read every ${intervalMs / 1000} s, because a reading holds the memory lock of the process for ${cost} ms`;
  return { id: 'pss', state: 'running', reason };
}

/** The median. */
function usualCost(costs: readonly number[]): number {
  return costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;
}
