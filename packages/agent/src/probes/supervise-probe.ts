// Runs a collector as a child process: starts it, watches it, and stops it after its last batch. No
// failure of the collector affects the session.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Probe } from '@svc/contracts/agent';
import { messageOf } from '@svc/contracts/caught';
import { roundMs } from '@svc/trace';
import { BoundedLines } from './bounded-lines.ts';
import { monotonicNs } from './monotonic-ns.ts';
import type { ProbeContext, ProbeKind, ProbeReader } from './probe-kind.ts';

/** A program that prints observations until its standard input ends. */
export type ProbeCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /**
   * Whether it prints `#ready` and, each second, `#tick`. A program that does not is ready as long
   * as it runs.
   */
  readonly announces: boolean;
};

export type RunningProbe = {
  /** The state for the status. */
  readonly probe: Probe;
  /**
   * Lets it print its last batch. Resolves when that is read or the time for it is up. Never
   * rejects.
   */
  stop(): Promise<void>;
};

export type ProbePatience = {
  /** Milliseconds from the start to `#ready`. Compiling a program takes time on a busy machine. */
  readonly readyMs: number;
  /** Milliseconds between two ticks. */
  readonly silentMs: number;
  /** Milliseconds from the end of its input to its exit. The session's flush is limited to 5 s. */
  readonly stopMs: number;
};

const PATIENCE: ProbePatience = { readyMs: 60_000, silentMs: 10_000, stopMs: 3_800 };

/** A collector that announces nothing is ready after this time, and ticks are generated for it. */
const SECOND_MS = 1_000;

/** The most bytes in one second. A collector that prints more has a fault. */
const BATCH_BYTES = 64 * 1024 * 1024;

const REASON_CHARACTERS = 200;

export type ProbeOptions = {
  readonly kind: ProbeKind;
  readonly command: ProbeCommand;
  readonly context: ProbeContext;
  /** Called after every change of the state. */
  readonly onChange: () => void;
  /** Tests set it. */
  readonly patience?: ProbePatience;
};

/** Starts a collector. Losses are recorded in the trace. */
export function superviseProbe(options: ProbeOptions): RunningProbe {
  return new SupervisedProbe(options);
}

class SupervisedProbe implements RunningProbe {
  readonly #kind: ProbeKind;
  readonly #command: ProbeCommand;
  readonly #context: ProbeContext;
  readonly #onChange: () => void;
  readonly #patience: ProbePatience;
  readonly #reader: ProbeReader;
  readonly #child: ChildProcess;
  readonly #over = Promise.withResolvers<void>();
  #probe: Probe;
  #timer: NodeJS.Timeout | undefined;
  #batchBytes = 0;
  #isReady = false;
  #stopping = false;
  #ended = false;
  #endMs: number | null = null;
  /** The first complaint since the last tick. */
  #complaint = '';

  constructor({ kind, command, context, onChange, patience = PATIENCE }: ProbeOptions) {
    this.#kind = kind;
    this.#command = command;
    this.#context = context;
    this.#onChange = onChange;
    this.#patience = patience;
    this.#probe = { id: kind.id, state: 'starting' };
    this.#reader = kind.open(context);
    const { file, args, env } = command;
    this.#child = spawn(file, [...args], { env: { ...env }, stdio: 'pipe' });
    this.#listen();
    if (command.announces) this.#expect(patience.readyMs, 'was not ready');
    else this.#timer = setInterval(() => this.#guard(() => this.#tick(this.#now())), SECOND_MS);
  }

  get probe(): Probe {
    return this.#probe;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    if (this.#ended) return this.#over.promise;
    this.#child.stdin?.end();
    this.#timer = setTimeout(
      () => this.#fail(`did not stop within ${this.#patience.stopMs / 1000} s`),
      this.#patience.stopMs,
    );
    await this.#over.promise;
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    const lines = new BoundedLines((text) => this.#guard(() => this.#line(text)));
    const complaints = new BoundedLines((text) => this.#guard(() => this.#complain(text)));
    // `close` reports the end. A failed write to a child that has exited adds no information.
    stdin?.on('error', () => {});
    stdout?.on('data', (bytes: Buffer) => {
      this.#batchBytes += bytes.length;
      if (this.#batchBytes > BATCH_BYTES) this.#fail('printed too much in one second');
      else if (!this.#ended) lines.push(bytes);
    });
    stderr?.on('data', (bytes: Buffer) => complaints.push(bytes));
    this.#child.on('error', (error) => this.#fail(`could not be started (${error.message})`));
    this.#child.once('close', (code, signal) => {
      complaints.finish();
      if (!this.#ended) lines.finish();
      this.#closed(code, signal);
    });
  }

  /** An error while reading ends this probe, not the agent. */
  #guard(read: () => void): void {
    if (this.#ended) return;
    try {
      read();
    } catch (error) {
      this.#fail(`could not be read (${messageOf(error)})`);
    }
  }

  #line(text: string): void {
    if (!text.startsWith('#') || !this.#command.announces) {
      this.#reader.line(text);
      return;
    }
    const [, word = '', rest = ''] = /^#(ready|tick|end|fail|waiting) (.*)$/.exec(text) ?? [];
    const t = this.#context.toTraceMs(Number(rest));
    if (word === 'fail') this.#complaint = rest;
    else if (word === 'waiting') this.#wait(rest);
    else if (!Number.isFinite(t)) return;
    else if (word === 'ready') this.#ready(t);
    else if (word === 'tick') this.#tick(t);
    else if (word === 'end') this.#endRound(t);
  }

  #ready(t: number): void {
    if (this.#endMs !== null) {
      // The collector has restarted. Lines since the end of the previous round belong to that
      // round.
      const from = this.#endMs;
      this.#endMs = null;
      this.#reader.tick(from);
      const loss = { type: 'loss', reason: 'probe_restarted', probe: this.#kind.id } as const;
      this.#context.append({ ...loss, t: from, duration_ms: roundMs(Math.max(0, t - from)) });
      this.#reader.ready?.(t);
    }
    if (this.#isReady) return;
    this.#isReady = true;
    this.#reader.ready?.(t);
    this.#run();
  }

  /** There is nothing to observe yet. The collector looks again. */
  #wait(what: string): void {
    this.#reader.waiting?.(what);
    this.#run();
  }

  #run(): void {
    const note = this.#reader.note?.() ?? null;
    const { state, reason = null } = this.#probe;
    if (state !== 'running' || reason !== note) {
      this.#become({ id: this.#kind.id, state: 'running', ...(note !== null && { reason: note }) });
    }
    if (this.#command.announces) this.#expect(this.#patience.silentMs, 'printed nothing');
  }

  #endRound(t: number): void {
    this.#endMs = t;
    this.#expect(this.#patience.readyMs, 'was not ready again');
  }

  #tick(t: number): void {
    this.#ready(t);
    this.#batchBytes = 0;
    this.#complaint = '';
    this.#reader.tick(t);
    this.#run();
  }

  #expect(ms: number, fault: string): void {
    if (this.#stopping || this.#ended) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(`${fault} for ${ms / 1000} s`), ms);
  }

  #complain(text: string): void {
    if (this.#reader.complaint?.(text) === true) return;
    const lost = /^Lost (\d{1,15}) events$/.exec(text)?.[1];
    if (lost !== undefined) this.#lose('buffer_full', Number(lost));
    else if (/\S/.test(text) && !/RLIMIT_MEMLOCK/.test(text)) this.#complaint ||= text;
  }

  #closed(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#ended) return;
    const gone = this.#context.process.exited();
    if (this.#stopping || gone) this.#finish();
    else this.#fail(`has ended (${signal ?? `status ${code}`})`);
  }

  #fail(what: string): void {
    if (this.#ended) return;
    const detail = plainText(this.#complaint);
    const reason = `The collector of ${this.#kind.id} ${what}${detail === '' ? '' : `: ${detail}`}`;
    this.#lose('probe_lost');
    this.#become({ id: this.#kind.id, state: 'failed', reason });
    this.#finish();
  }

  #lose(reason: string, count?: number): void {
    const t = this.#now();
    const counted = count === undefined ? {} : { count };
    this.#context.append({ type: 'loss', t, reason, probe: this.#kind.id, ...counted });
  }

  /**
   * Stops reading and releases everything. A child that still runs ends because its input has
   * ended.
   */
  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#child.unref();
    if (this.#probe.state !== 'failed') this.#become({ id: this.#kind.id, state: 'off' });
    void this.#endReader().then(this.#over.resolve);
  }

  async #endReader(): Promise<void> {
    try {
      await this.#reader.end(this.#endMs ?? this.#now());
    } catch {
      // the rest can't be read, but earlier records are kept
    }
  }

  #become(probe: Probe): void {
    this.#probe = probe;
    this.#onChange();
  }

  #now(): number {
    return this.#context.toTraceMs(monotonicNs());
  }
}

/** Cleans foreign text for the user: one short line without control characters. */
function plainText(text: string): string {
  return text
    .replaceAll(/\p{C}+/gu, ' ')
    .replace(/^(\S+: )?(ERROR|error): /, '')
    .trim()
    .slice(0, REASON_CHARACTERS);
}
