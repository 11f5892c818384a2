// Takes one sample a second on a grid of the monotonic clock. A late tick does not shift later
// ones, and skipped ticks are reported.
import { AGENT_LIMITS } from '@svc/contracts/agent';
import type { PinnedProcess, ProcessReading } from '../target/pin-process.ts';
import type { PssWatch } from '../target/watch-pss.ts';
import { settledWithin } from '../work/settled-within.ts';

/** A sample of the target. `t` is in milliseconds since the start of the capture. */
export type Sample = {
  readonly t: number;
  /** Percent of one core since the previous sample. Null in the first sample. */
  readonly cpuPercent: number | null;
  readonly rssBytes: number;
  /** Null if the system does not say it. */
  readonly threads: number | null;
  readonly pss: { readonly bytes: number; readonly ageMs: number; readonly costMs: number } | null;
};

/** Receives the samples, and the ticks that were missed. */
export type SampleSink = {
  sample(sample: Sample): void;
  late(t: number, count: number): void;
};

const PERIOD_MS = 1000 / AGENT_LIMITS.sample_hz;

/**
 * How long a sample waits for the PSS reading of its own tick. After that it carries the previous
 * reading, with its age.
 */
const PSS_PATIENCE_MS = 200;

/** Samples at once and then every second, until it is disposed of or the process exits. */
export function sampleProcess(
  process: PinnedProcess,
  pss: PssWatch,
  startMs: number,
  sink: SampleSink,
): Disposable {
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  let tick = 0;
  let before: { reading: ProcessReading; readMs: number } | null = null;
  const run = async (): Promise<void> => {
    const atMs = performance.now();
    const missed = Math.floor((atMs - startMs) / PERIOD_MS) - tick;
    if (missed > 0) sink.late(tick * PERIOD_MS, missed);
    tick += Math.max(0, missed) + 1;
    timer = setTimeout(run, Math.max(0, Math.ceil(startMs + tick * PERIOD_MS - atMs)));
    const reading = readingOf(process);
    if (reading === 'failed') sink.late(atMs - startMs, 1);
    if (reading === null || reading === 'failed') return;
    const readMs = reading.atMs ?? atMs;
    // The sampler of another system may not have printed since the last tick.
    if (before !== null && readMs <= before.readMs) return sink.late(atMs - startMs, 1);
    const cpuPercent = before === null ? null : cpuBetween(before, reading, readMs);
    before = { reading, readMs };
    await settledWithin(pss.refresh(atMs), PSS_PATIENCE_MS);
    if (stopped) return;
    const { rssBytes, threads } = reading;
    sink.sample({ t: atMs - startMs, cpuPercent, rssBytes, threads, pss: pssAt(pss, atMs) });
  };
  void run();
  return {
    [Symbol.dispose]: () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** If a reading fails, for example for lack of memory or descriptors, only its own tick is lost. */
function readingOf(process: PinnedProcess): ProcessReading | 'failed' | null {
  try {
    return process.read();
  } catch {
    return 'failed';
  }
}

function cpuBetween(
  before: { reading: ProcessReading; readMs: number },
  now: ProcessReading,
  nowMs: number,
): number {
  const percent = ((now.cpuMs - before.reading.cpuMs) / (nowMs - before.readMs)) * 100;
  return Math.max(0, Math.round(percent * 10) / 10);
}

function pssAt({ latest }: PssWatch, atMs: number): Sample['pss'] {
  if (latest === null) return null;
  const ageMs = Math.max(0, Math.round(atMs - latest.readAtMs));
  return { bytes: latest.pssBytes, ageMs, costMs: Math.round(latest.costMs * 1000) / 1000 };
}
