// Reads PSS of the target at its own interval in a worker thread, and keeps the latest value with
// its age and cost.
import type { Worker } from 'node:worker_threads';
import type { Probe } from '@svc/contracts/agent';
import { messageOf } from '@svc/contracts/caught';
import type { PinnedProcess } from './pin-process.ts';
import { PSS_READY, type PssReading, type PssRole } from './pss-thread.ts';

/** The latest reading. `readAtMs` is on the monotonic clock. */
export type PssSample = {
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
  stop(): Promise<void>;
};

/**
 * A reading that holds the target's memory lock for more than this share of the interval causes a
 * warning.
 */
const DEAR_SHARE = 0.01;

/**
 * A warning is based on the mean of this many readings, because a single one may have been
 * interrupted.
 */
const COSTS_KEPT = 5;

/** Starts to watch. `startThread` creates the worker. */
export function watchPss(
  process: PinnedProcess,
  intervalMs: number,
  startThread: (role: PssRole) => Worker,
): PssWatch {
  if (process.pssDenied !== null) return deniedWatch(process.pssDenied);
  const ready = Promise.withResolvers<void>();
  const costs: number[] = [];
  let latest: PssSample | null = null;
  let trouble: Probe | null = null;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let pending: PromiseWithResolvers<void> | null = null;
  const take = (reading: PssReading): void => {
    trouble = troubleOf(reading);
    if (reading.outcome === 'read') {
      latest = { pssBytes: reading.pssBytes, costMs: reading.costMs, readAtMs: performance.now() };
      costs.push(reading.costMs);
      if (costs.length > COSTS_KEPT) costs.shift();
    } else if (reading.outcome !== 'failed') latest = null;
    // A failed reading is cheap, so the next tick tries again. Starting another thread is not
    // cheap.
    else if (worker !== null) askedAtMs = Number.NEGATIVE_INFINITY;
    pending?.resolve();
    pending = null;
  };
  let worker: Worker | null = null;
  const start = (): Worker =>
    startReader(startThread, process.folder, ready.resolve, take, () => {
      worker = null;
    });
  /**
   * If the system has no room for another thread, the start throws. This counts as a failed
   * reading.
   */
  const tryTo = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      ready.resolve();
      const reason = `The thread that reads PSS could not be started: ${messageOf(error)}; svc tries again`;
      take({ outcome: 'failed', reason });
    }
  };
  tryTo(() => {
    worker = start();
  });
  return {
    ready: ready.promise,
    refresh: (nowMs) => {
      // A tick may come slightly early. A reading belongs to the tick nearest to its time.
      const due = nowMs - askedAtMs >= intervalMs - 500;
      if (pending === null && due) {
        askedAtMs = nowMs;
        const reading = Promise.withResolvers<void>();
        pending = reading;
        tryTo(() => {
          worker ??= start();
          worker.postMessage('read');
        });
        return reading.promise;
      }
      return pending?.promise ?? Promise.resolve();
    },
    get latest() {
      return latest;
    },
    get probe() {
      return trouble ?? pricedProbe(costs, intervalMs);
    },
    stop: async () => {
      pending?.resolve();
      await worker?.terminate();
    },
  };
}

/** Starts a thread that reads. A thread that fails is replaced at the next reading. */
function startReader(
  startThread: (role: PssRole) => Worker,
  folder: string,
  ready: () => void,
  take: (reading: PssReading) => void,
  gone: () => void,
): Worker {
  const worker = startThread({ role: 'pss', folder });
  worker.unref();
  worker.on('message', (message: PssReading | typeof PSS_READY) => {
    if (message === PSS_READY) ready();
    else take(message);
  });
  worker.on('error', ({ message }) => {
    gone();
    ready();
    const reason = `The thread that reads PSS failed: ${message}; svc starts another`;
    take({ outcome: 'failed', reason });
  });
  return worker;
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
    stop: () => Promise.resolve(),
  };
}

function unavailable(reason: string): Probe {
  return { id: 'pss', state: 'unavailable', reason };
}

/** The state of the probe, from the cost of its readings. */
export function pricedProbe(costs: readonly number[], intervalMs: number): Probe {
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / Math.max(1, costs.length);
  if (mean <= intervalMs * DEAR_SHARE) return { id: 'pss', state: 'running' };
  const cheap = Math.ceil(mean / DEAR_SHARE / 1000);
  const percent = ((mean / intervalMs) * 100).toFixed(1);
  return {
    id: 'pss',
    state: 'warning',
    reason: `A reading of PSS holds the memory lock of the process for ${mean.toFixed(1)} ms (${percent} % of its time); --pss-interval ${cheap}s makes it cheap`,
  };
}
