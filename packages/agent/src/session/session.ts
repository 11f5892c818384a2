// The session. It has at most one authorized process and one retained trace, and goes from inactive
// to ended.
import type {
  AgentLimits,
  BusyChild,
  Capability,
  Ending,
  EndReason,
  Probe,
  Provider,
  RecoveredTrace,
  Status,
  TraceSummary,
} from '@svc/contracts/agent';
import type { NoteRecord } from '@svc/trace';
import { type Capture, type CaptureOptions, flush, startCapture } from '../capture/capture.ts';
import { failure } from '../failure.ts';
import type { ProbeOffer } from '../probes/offer-probes.ts';
import { reasonNotStored } from '../storage/no-room.ts';
import type { PinnedProcess } from '../target/pin-process.ts';
import { NO_PROCESS } from '../target/pin-target.ts';
import { watchBusyChild } from '../target/processes/watch-busy-child.ts';
import { watchExit } from '../target/watch-exit.ts';
import { type RetainedTrace, recordedTrace } from '../trace/retained-trace.ts';
import { settledWithin } from '../work/settled-within.ts';
import { deriveCapabilities } from './capabilities.ts';

/** How long `endAtOnce` waits for the end of the recording. */
const AT_ONCE_MS = 500;

export type SessionOptions = Omit<
  CaptureOptions,
  'process' | 'programWaits' | 'onSample' | 'onProbe'
> & {
  readonly process: PinnedProcess | null;
  /** Whether the process is ended after the session. */
  readonly launched: boolean;
  readonly retained: RetainedTrace | null;
  readonly recovered: readonly RecoveredTrace[];
  readonly ttlMs: number;
  readonly limits: AgentLimits;
  /** The state of the keyring and of the model providers. */
  readonly keys: { readonly keyring: Capability; readonly providers: Provider[] };
  /** Called with the name of the process and a child that works while the process is idle. */
  readonly onBusyChild: (name: string, child: BusyChild) => void;
  /** Called after every change of the status. */
  readonly onChange: () => void;
  /** Called when the session begins to end, before the capture is flushed. */
  readonly onEnding: () => void;
};

type State =
  | { readonly state: 'inactive' }
  | { readonly state: 'starting'; readonly started: Promise<Capture> }
  | { readonly state: 'capturing'; readonly capture: Capture }
  | { readonly state: 'ended'; readonly ending: Ending; readonly capture: Capture | null };

/** How far an ending got at once. If the recording is not `finished`, its path is the path of the `.partial` file. */
export type EndedAtOnce = { readonly ending: Ending; readonly finished: boolean };

export class Session {
  readonly #options: SessionOptions;
  readonly #startedAt = new Date();
  readonly #ended = Promise.withResolvers<Ending>();
  readonly #watches = new DisposableStack();
  readonly #hurried = Promise.withResolvers<void>();
  #state: State = { state: 'inactive' };
  #retained: RetainedTrace | null;
  #busyChild: BusyChild | null = null;
  #reason: EndReason | null = null;
  #ending: Promise<Ending> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#retained = options.retained;
  }

  /** Starts to watch for the end of the session's time, for the exit of its target, and for a child that does its work. */
  watch(): void {
    const { process, ttlMs } = this.#options;
    const ttl = setTimeout(() => void this.end('ttl'), ttlMs);
    this.#watches.defer(() => clearTimeout(ttl));
    if (process !== null) {
      this.#watches.use(watchExit(process, () => void this.end('target_exit')));
      this.#watches.use(watchBusyChild(process, (child) => this.#onBusyChild(child)));
    }
  }

  get retained(): RetainedTrace | null {
    return this.#retained;
  }

  /** Whether a capture is running. It is also true after its file has reached the storage cap. */
  get isCapturing(): boolean {
    return this.#state.state === 'capturing';
  }

  /**
   * Whether the session has ended and the capture is on disk. Only the retained trace can be
   * requested then.
   */
  get hasEnded(): boolean {
    return this.#state.state === 'ended';
  }

  get isEnding(): boolean {
    return this.#ending !== null;
  }

  get expiresAt(): string {
    return new Date(this.#startedAt.getTime() + this.#options.ttlMs).toISOString();
  }

  /** Resolves when the capture is on disk. */
  get ended(): Promise<Ending> {
    return this.#ended.promise;
  }

  status(): Status {
    const { process, launched, recovered, version, limits, keys, offers } = this.#options;
    const capture = this.#capture();
    const probes = this.#probes(capture);
    return {
      state: this.#state.state === 'starting' ? 'inactive' : this.#state.state,
      capabilities: deriveCapabilities(process, keys, { offers, probes }),
      target: process?.target ?? null,
      launched,
      busy_child: this.#busyChild,
      trace: this.#retained?.summary ?? null,
      metric: capture?.metric ?? null,
      probes,
      recovered: [...recovered],
      ended: this.#state.state === 'ended' ? this.#state.ending : null,
      started_at: this.#startedAt.toISOString(),
      expires_at: this.expiresAt,
      version,
      limits,
    };
  }

  /**
   * Starts to capture the authorized process. `programWaits`: it is a program that `letRun` lets run afterwards. Throws
   * `no_target`, `already_capturing`, `target_exited` and `storage_full`.
   */
  async start({ programWaits = false } = {}): Promise<void> {
    const { process } = this.#options;
    if (process === null) {
      throw failure(
        'no_target',
        'Cannot start: no process was authorized; name one with --pid or --name, or a program after --',
      );
    }
    if (this.#state.state !== 'inactive') {
      throw failure('already_capturing', 'Cannot start: the capture runs already');
    }
    if (process.exited()) {
      throw failure('target_exited', `Cannot start: process ${process.target.pid} has exited`);
    }
    const started = startCapture({
      ...this.#options,
      ...{ process, programWaits },
      onSample: () => void this.#onSample(),
      onProbe: () => this.#options.onChange(),
    });
    this.#state = { state: 'starting', started };
    try {
      this.#state = { state: 'capturing', capture: await started };
    } catch (error) {
      this.#state = { state: 'inactive' };
      const why = reasonNotStored(error);
      if (why === null) throw error;
      throw failure('storage_full', `Cannot record: ${why}`, { cause: error });
    }
    this.#options.onChange();
  }

  /**
   * Lets a program run that waits for its start. If it is captured already, waits until the probes observe it. A program
   * does not run if the session ends before.
   */
  async letRun(program: { run(): void } | null): Promise<void> {
    if (program === null) return;
    const capture = await this.#captureUnderWay();
    if (capture !== null) await Promise.race([capture.observing(), this.ended]);
    if (this.isEnding) return;
    capture?.noteStart();
    program.run();
  }

  /** Throws `capturing` if an import would replace the trace of a capture. */
  refuseImport(): void {
    if (this.#state.state === 'inactive') return;
    throw failure('capturing', 'Cannot import while capturing: end the session first');
  }

  /**
   * Replaces the retained trace with an imported one. Releases it and throws `capturing` if a
   * capture has begun meanwhile.
   */
  async retainImport(trace: RetainedTrace): Promise<void> {
    try {
      this.refuseImport();
    } catch (error) {
      await trace.release();
      throw error;
    }
    await this.#retain(trace);
    this.#options.onChange();
  }

  /**
   * Adds notes to the retained trace and returns its summary. All are added, or none. Rejects with `no_trace`,
   * `too_many_notes`, `storage_full` and `shutting_down`.
   */
  async addNotes(notes: readonly NoteRecord[]): Promise<TraceSummary> {
    const trace = this.#retained;
    if (trace === null) {
      throw failure('no_trace', 'Cannot add notes: nothing has been captured or imported yet');
    }
    await trace.addNotes(notes);
    this.#options.onChange();
    return trace.summary;
  }

  /**
   * Ends the session: stops sampling and flushes the capture within 5 s. The first reason is kept.
   * Never rejects.
   */
  end(reason: EndReason): Promise<Ending> {
    this.#reason ??= reason;
    this.#ending ??= this.#finish(this.#reason);
    return this.#ending;
  }

  /**
   * Ends the session as `end` does, or speeds up an ending. The last batches of probes are not
   * waited for.
   */
  async endAtOnce(reason: EndReason): Promise<EndedAtOnce> {
    this.#hurried.resolve();
    const ended = this.end(reason);
    if (await settledWithin(ended, AT_ONCE_MS)) return { ending: await ended, finished: true };
    const trace = this.#capture()?.recording.written ?? null;
    return { ending: { reason: this.#reason ?? reason, trace }, finished: false };
  }

  /** Releases everything if the server could not listen. */
  async abandon(): Promise<void> {
    this.#watches.dispose();
    await this.release();
  }

  /** Closes everything that is still open. Called when no more requests arrive. */
  async release(): Promise<void> {
    await this.#retained?.release();
    this.#options.process?.release();
  }

  async #finish(reason: EndReason): Promise<Ending> {
    this.#watches.dispose();
    this.#options.onEnding();
    const capture = await this.#captureUnderWay();
    const trace = capture === null ? null : await flush(capture, reason, this.#hurried.promise);
    await this.#retainCapture(capture);
    const ending: Ending = { reason, trace };
    this.#state = { state: 'ended', ending, capture };
    this.#options.onChange();
    this.#ended.resolve(ending);
    return ending;
  }

  async #captureUnderWay(): Promise<Capture | null> {
    if (this.#state.state === 'capturing') return this.#state.capture;
    if (this.#state.state !== 'starting') return null;
    return this.#state.started.catch(() => null);
  }

  #onBusyChild(child: BusyChild | null): void {
    this.#busyChild = child;
    if (child !== null) {
      this.#capture()?.noteBusyChild(child);
      this.#options.onBusyChild(this.#options.process?.target.name ?? '', child);
    }
    this.#options.onChange();
  }

  #capture(): Capture | null {
    const state = this.#state;
    return state.state === 'capturing' || state.state === 'ended' ? state.capture : null;
  }

  #probes(capture: Capture | null): Probe[] {
    const { process, offers, follow } = this.#options;
    const refused = offers.filter(({ start }) => start === null).map(probeOf);
    if (capture !== null) return [...capture.probes, ...refused];
    const followed = follow === null ? [] : [followOf(process)];
    if (process === null) return [...refused, ...followed];
    const pss: Probe =
      process.pssDenied === null
        ? { id: 'pss', state: 'off' }
        : { id: 'pss', state: 'unavailable', reason: process.pssDenied };
    return [{ id: 'process', state: 'off' }, pss, ...offers.map(probeOf), ...followed];
  }

  /** The first record of a capture replaces the retained trace. */
  async #onSample(): Promise<void> {
    await this.#retainCapture(await this.#captureUnderWay());
    this.#options.onChange();
  }

  async #retainCapture(capture: Capture | null): Promise<void> {
    if (capture === null || this.#retained?.summary.origin === 'capture') return;
    await this.#retain(recordedTrace(capture.recording));
  }

  async #retain(trace: RetainedTrace): Promise<void> {
    const before = this.#retained;
    this.#retained = trace;
    await before?.release();
  }
}

function followOf(process: PinnedProcess | null): Probe {
  const id = 'follow';
  if (process !== null) return { id, state: 'off' };
  return { id, state: 'unavailable', reason: NO_PROCESS };
}

function probeOf({ id, capability }: ProbeOffer): Probe {
  const { available, reason } = capability;
  const why = reason === undefined ? {} : { reason };
  return { id, state: available ? 'off' : 'unavailable', ...why };
}
