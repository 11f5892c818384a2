// A running capture. It samples one process, records the samples and keeps the latest one as the
// metric.
import {
  type BusyChild,
  FLUSH_MS,
  type Metric,
  type Probe,
  type WrittenTrace,
} from '@svc/contracts/agent';
import { roundMs, type TraceRecord } from '@svc/trace';
import { type FollowedTrace, followTrace } from '../follow/follow-trace.ts';
import { FrameOrigin } from '../follow/frame-origin.ts';
import { MachineWatch } from '../machine/watch-machine.ts';
import { monotonicNs } from '../probes/monotonic-ns.ts';
import type { ProbeOffer } from '../probes/offer-probes.ts';
import { type RunningProbe, superviseProbe } from '../probes/supervise-probe.ts';
import { isLinuxProcess, type PinnedProcess } from '../target/pin-process.ts';
import type { PssRole } from '../target/pss-thread.ts';
import { type PssWatch, watchPss } from '../target/watch-pss.ts';
import { settledWithin } from '../work/settled-within.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { type Recording, type RecordingOptions, startRecording } from './recording.ts';
import { type Sample, sampleProcess } from './sample-process.ts';

/** The longest wait for probes to start. A busy machine takes long to load them. */
const START_MS = 20_000;

/** The longest wait for the thread that reads PSS to end. */
const PSS_STOP_MS = 500;

/** Clocks that are read within this time show the same time. */
const CLOCK_MS = 0.2;
const CLOCK_TRIES = 10;

export type Capture = {
  readonly recording: Recording;
  readonly metric: Metric | null;
  readonly probes: readonly Probe[];
  /** The number of records of the followed trace in the recording. Null: none is followed. */
  readonly merged: number | null;
  /**
   * Resolves when the first sample is taken, and every probe runs or has failed, or after 20 s. A probe takes seconds
   * to start.
   */
  observing(): Promise<unknown>;
  /** Records that the program is let run now. */
  noteStart(): void;
  /** Records that a child does the work of the process, which is idle. */
  noteBusyChild(child: BusyChild): void;
  /** Stops sampling and ends the recording. Once `hurried` resolves, probes are not waited for. */
  finish(reason: string, hurried: Promise<void>): Promise<WrittenTrace>;
  /** Stops sampling and removes the recording. */
  discard(): Promise<void>;
};

export type CaptureOptions = Omit<RecordingOptions, 'target' | 'startedAt'> & {
  readonly process: PinnedProcess;
  readonly pssIntervalMs: number;
  readonly startWorker: StartWorker<PssRole>;
  /** The probes that were requested. Those that can run are started. */
  readonly offers: readonly ProbeOffer[];
  /** The absolute path of a trace that the process writes itself, whose records are merged. It may not exist yet. Null: none. */
  readonly follow: string | null;
  /** Whether the process is a program that waits until `noteStart`. */
  readonly programWaits: boolean;
  /** Called when the state of a probe changes. */
  readonly onProbe: () => void;
  /** Called after every sample, when it is queued for the recording. */
  readonly onSample: () => void;
};

/**
 * Starts a capture and takes the first sample at once. Rejects with Node's error if the recording
 * can't be created.
 */
export async function startCapture(options: CaptureOptions): Promise<Capture> {
  const { process, pssIntervalMs, startWorker, onSample } = options;
  const { target } = process;
  const pss = watchPss(process, pssIntervalMs, startWorker);
  await pss.ready;
  const { startedAt, startMs, startNs } = readClocks();
  const now = (): number => roundMs(performance.now() - startMs);
  const recording = await recordingOrStop({ ...options, target, startedAt }, pss);
  const ready = Promise.withResolvers<void>();
  const sampled = Promise.withResolvers<void>();
  const frames = new FrameOrigin();
  const append = (record: TraceRecord): void => {
    const kept = record.type === 'frames' ? frames.takeProbed(record) : [record];
    for (const one of kept) recording.append(one);
  };
  const followed = follow({ ...options, startedAt, now, frames, recording });
  const native = startProbes(options, append, startNs, () => {
    if (!native.some(({ probe }) => probe.state === 'starting')) ready.resolve();
    options.onProbe();
  });
  if (native.length === 0) ready.resolve();
  // A late sample is no gap in frames that the kernel or the game reports.
  const hasFrames = followed !== null || native.some(({ probe }) => probe.id === 'frames');
  const machine = isLinuxProcess(process) ? new MachineWatch(process) : null;
  let metric: Metric | null = null;
  let pssMs = pssIntervalMs;
  const sampler = sampleProcess(process, pss, startMs, {
    sample: (sample) => {
      if (pss.latest !== null && pss.intervalMs !== pssMs) {
        pssMs = pss.intervalMs;
        recording.append(intervalLog(sample.t, pssMs, pss.latest.costMs));
      }
      recording.append(recordOf(sample));
      for (const record of machine?.read(sample.t) ?? []) recording.append(record);
      metric = metricOf(sample);
      sampled.resolve();
      onSample();
    },
    late: (t, count) =>
      recording.append({
        type: 'loss',
        t,
        reason: 'late_sampler',
        count,
        duration_ms: count * 1000,
        ...(hasFrames && { probe: 'process' }),
      }),
  });
  const stopAll = async (): Promise<void> => {
    sampler[Symbol.dispose]();
    // The PSS thread may be blocked in the kernel. The end of the recording does not wait for it
    // longer than this.
    const pssStopped = settledWithin(pss.stop(), PSS_STOP_MS);
    await Promise.all([pssStopped, followed?.stop(), ...native.map((probe) => probe.stop())]);
  };
  return {
    recording,
    get metric() {
      return metric;
    },
    get probes() {
      const own: Probe[] = [{ id: 'process', state: 'running' }, pss.probe];
      const others = followed === null ? native : [...native, followed];
      return [...own, ...others.map(({ probe }) => probe)];
    },
    get merged() {
      return followed?.merged ?? null;
    },
    observing: () => settledWithin(Promise.all([ready.promise, sampled.promise]), START_MS),
    noteStart: () => {
      followed?.programStarts();
      const text = `svc starts ${target.name} here.`;
      recording.append({ type: 'log', t: now(), level: 'info', text });
    },
    noteBusyChild: (child) => recording.append(busyChildLog(now(), target.name, child)),
    finish: async (reason, hurried) => {
      await Promise.race([stopAll(), hurried]);
      // What the probe has held back for frames of the game that have not come.
      for (const record of frames.followedEnds()) recording.append(record);
      return recording.finish(reason, now());
    },
    discard: async () => {
      await stopAll();
      await recording.discard();
    },
  };
}

/**
 * Ends a capture and waits at most 5 s for its end. After that, the path is that of the `.partial` file, and the
 * ending continues.
 */
export async function flush(
  capture: Capture,
  reason: string,
  hurried: Promise<void>,
): Promise<WrittenTrace> {
  const written = capture.finish(reason, hurried);
  return (await settledWithin(written, FLUSH_MS)) ? await written : capture.recording.written;
}

type Merging = CaptureOptions & {
  readonly startedAt: Date;
  readonly frames: FrameOrigin;
  readonly recording: Recording;
  now(): number;
};

/** Follows the trace that the process writes, if there is one. */
function follow(options: Merging): FollowedTrace | null {
  const { process, startedAt, frames, recording, programWaits, now, onProbe: onChange } = options;
  if (options.follow === null) return null;
  const processStartedAtMs = Date.parse(process.target.started_at ?? startedAt.toISOString());
  return followTrace({
    path: options.follow,
    startedAtMs: startedAt.getTime(),
    // A container may report a start in the future.
    processStartedAtMs: Math.min(processStartedAtMs, startedAt.getTime()),
    programWaits,
    ...{ now, onChange },
    isRunning: () => !process.exited(),
    isOpen: () => recording.isOpen,
    append: (records) => {
      const kept = records.map((record) =>
        record.type === 'frames' ? frames.takeFollowed(record) : record,
      );
      return recording.appendAll(kept.filter((record) => record !== null));
    },
    onTraceEnd: () => {
      for (const record of frames.followedEnds()) recording.append(record);
    },
  });
}

function startProbes(
  { process, offers }: CaptureOptions,
  append: (record: TraceRecord) => void,
  startNs: number,
  onChange: () => void,
): RunningProbe[] {
  if (!isLinuxProcess(process)) return [];
  const context = {
    process,
    frameThreads: new Set([process.target.pid]),
    append,
    toTraceMs: (ns: number) => roundMs(Math.max(0, (ns - startNs) / 1e6)),
  };
  return offers
    .map(({ start }) => start)
    .filter((start) => start !== null)
    .map(({ kind, command }) => superviseProbe({ kind, command, context, onChange }));
}

async function recordingOrStop(options: RecordingOptions, pss: PssWatch): Promise<Recording> {
  try {
    return await startRecording(options);
  } catch (error) {
    await pss.stop();
    throw error;
  }
}

function recordOf({ t, cpuPercent, rssBytes, threads, pss }: Sample): TraceRecord {
  return {
    type: 'process',
    t,
    ...(cpuPercent === null ? {} : { cpu_percent: cpuPercent }),
    rss_bytes: rssBytes,
    ...(pss === null ? {} : { pss_bytes: pss.bytes, pss_age_ms: pss.ageMs }),
    ...(pss === null ? {} : { pss_cost_ms: pss.costMs }),
    ...(threads === null ? {} : { threads }),
  };
}

/** Records that the interval of PSS changed, and why. */
function intervalLog(t: number, intervalMs: number, costMs: number): TraceRecord {
  const text = `PSS is read every ${intervalMs / 1000} s from here on. The last reading held the memory lock of the process for ${costMs.toFixed(1)} ms.`;
  return { type: 'log', t, level: 'info', text };
}

function busyChildLog(t: number, name: string, child: BusyChild): TraceRecord {
  const text = `${name} is idle. Its child ${child.name}, PID ${child.pid}, uses ${child.cpu_percent} % of a core and is not recorded.`;
  return { type: 'log', t, level: 'warn', text };
}

function metricOf({ t, cpuPercent, rssBytes, pss }: Sample): Metric {
  return {
    t: roundMs(t),
    cpu_percent: cpuPercent,
    rss_bytes: rssBytes,
    pss_bytes: pss?.bytes ?? null,
    pss_age_ms: pss?.ageMs ?? null,
  };
}

/** Reads the clocks of the start. They are read again if the process was interrupted in between. */
function readClocks(): { startedAt: Date; startMs: number; startNs: number } {
  for (let tries = 1; ; tries++) {
    const startMs = performance.now();
    const startedAt = new Date();
    const startNs = monotonicNs();
    if (tries === CLOCK_TRIES || performance.now() - startMs < CLOCK_MS) {
      return { startedAt, startMs, startNs };
    }
  }
}
