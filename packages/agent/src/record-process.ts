// Records one process without a server and a viewer: from a program's first instruction, or from now on, to its exit.
import type { BusyChild, Metric, Probe, Target, WrittenTrace } from '@svc/contracts/agent';
import type { AgentProgram } from './agent-options.ts';
import { type Capture, flush, startCapture } from './capture/capture.ts';
import { offerProbes, type ProbeOffer } from './probes/offer-probes.ts';
import type { ProbeId } from './probes/probe-kind.ts';
import type { ProbePrograms } from './probes/probe-programs.ts';
import type { PinnedProcess } from './target/pin-process.ts';
import { pinTarget } from './target/pin-target.ts';
import { watchBusyChild } from './target/processes/watch-busy-child.ts';
import { watchExit } from './target/watch-exit.ts';
import { workerStarter } from './work/start-worker.ts';
import { type WorkerRole, workerEntry } from './worker-entry.ts';

export type RecordProcessOptions = {
  /** The process to record: one that runs, or a program that waits for its start. */
  readonly process: { readonly pid: number; readonly startTicks: number | null } | AgentProgram;
  /** The path of the trace. Until it is complete, `.partial` is added. An existing file is replaced. */
  readonly output: string;
  /** The most bytes of the trace. */
  readonly capBytes: number;
  /** Milliseconds between two readings of PSS. At least 1000. */
  readonly pssIntervalMs: number;
  /** The optional collectors to run. Those that cannot run are left out, and reported with the reason. */
  readonly probes: readonly ProbeId[];
  /** The absolute path of a trace that the process writes itself, whose records are merged. It may not exist yet. Null: none. */
  readonly follow: string | null;
  /** The version that the trace names. */
  readonly version: string;
  /** The file that worker threads start from, in a bundle. Without it, the source file is used. */
  readonly workerUrl?: URL;
  /** The programs that native probes run, in a bundle. Without them, those of the package are used. */
  readonly probePrograms?: ProbePrograms;
  /** Ends the recording. If it is aborted before a program runs, `recordProcess` rejects with its reason and leaves no trace. */
  readonly signal: AbortSignal;
  /** Called when the recording has started. A program is let run when everything observes it. */
  readonly onStart: (target: Target) => void;
  /** Called when the process is observed: at once, or when a program is let run. */
  readonly onRun: () => void;
  /** Called after each sample, once a second. */
  readonly onSample: (metric: Metric) => void;
};

export type ProcessRecording = {
  /** Whether the recording was stopped by the signal, or the process has exited. */
  readonly ended: 'stopped' | 'exited';
  /** The process, with the name that it had at the end. */
  readonly target: Target;
  /** Since a program was let run. */
  readonly durationMs: number;
  /** Its path is that of the `.partial` file if the trace could not be completed. */
  readonly trace: WrittenTrace;
  /** The number of records of the followed trace in the recording. Null: none was followed. */
  readonly merged: number | null;
  /** What was measured at the end, and what could not be measured, with the reason. */
  readonly probes: readonly Probe[];
  /** A child that did the work while the process was idle, at the end or before. It was not recorded. */
  readonly busyChild: BusyChild | null;
};

/** Rejects with StartError if the process cannot be recorded, and with Node's error if the trace cannot be created. */
export async function recordProcess(options: RecordProcessOptions): Promise<ProcessRecording> {
  const { process: given, signal } = options;
  const identity = 'name' in given ? { name: given.name } : { startTicks: given.startTicks };
  const process = await pinTarget(given.pid, { signal, ...identity });
  try {
    const offers = await offerProbes(options.probes, process, options.probePrograms);
    signal.throwIfAborted();
    return await recordPinned(process, offers, options);
  } finally {
    process.release();
  }
}

async function recordPinned(
  process: PinnedProcess,
  offers: readonly ProbeOffer[],
  options: RecordProcessOptions,
): Promise<ProcessRecording> {
  const { process: given, output, capBytes, pssIntervalMs, follow, version, signal } = options;
  using watches = new DisposableStack();
  const ended = Promise.withResolvers<'stopped' | 'exited'>();
  let busyChild: BusyChild | null = null;
  let running: Capture | null = null;
  const capture = await startCapture({
    ...{ process, offers, follow, pssIntervalMs, capBytes, version },
    programWaits: 'run' in given,
    place: { output },
    startWorker: workerStarter<WorkerRole>(workerEntry(options.workerUrl)),
    onSample: () => {
      // The first sample is taken before the capture is known here.
      if (running !== null && running.metric !== null) options.onSample(running.metric);
    },
    onProbe: () => {},
  });
  running = capture;
  watches.use(watchExit(process, () => ended.resolve('exited')));
  watches.use(
    watchBusyChild(process, (child) => {
      busyChild = child ?? busyChild;
      if (child !== null) capture.noteBusyChild(child);
    }),
  );
  signal.addEventListener('abort', () => ended.resolve('stopped'), { once: true });
  if (signal.aborted) ended.resolve('stopped');
  options.onStart(process.target);
  if ('run' in given) {
    // Whatever the program does first is to be seen by the probes, too.
    await Promise.race([capture.observing(), ended.promise]);
    if (signal.aborted) {
      watches.dispose();
      await capture.discard();
      throw signal.reason;
    }
    capture.noteStart();
    given.run();
  }
  const startedMs = performance.now();
  options.onRun();
  const how = await ended.promise;
  watches.dispose();
  const durationMs = performance.now() - startedMs;
  const { target } = process;
  const probes = [...capture.probes, ...offers.filter(({ start }) => start === null).map(probeOf)];
  const reason = how === 'exited' ? 'target_exit' : 'stopped';
  const trace = await flush(capture, reason, new Promise(() => {}));
  // Only the end shows whether the process wrote a trace, and whether all of it was merged.
  const atEnd = probes.map((probe) => (probe.id === 'follow' ? followedOf(capture) : probe));
  await capture.recording.release();
  const { merged } = capture;
  return { ended: how, target, durationMs, trace, merged, probes: atEnd, busyChild };
}

function probeOf({ id, capability }: ProbeOffer): Probe {
  const { reason } = capability;
  return { id, state: 'unavailable', ...(reason !== undefined && { reason }) };
}

/** What became of the followed trace. That it was merged is stated like a probe that runs. */
function followedOf({ probes }: Capture): Probe {
  const id = 'follow';
  const last = probes.find((probe) => probe.id === id);
  return last === undefined || last.state === 'off' ? { id, state: 'running' } : last;
}
