// Pins a process by the sampler of the system, where there is no /proc.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { messageOf } from '@svc/contracts/caught';
import { acceptsSignals } from '@svc/serve';
import { StartError } from '../../start-error.ts';
import type { PinnedProcess, ProcessReading } from '../pin-process.ts';
import type { Sampler, SamplerEvent } from './sampler.ts';

/** The sampler is a program that the system may have to read from a slow disk. */
const START_MS = 15_000;
/** A reading that is older is not used. */
const STALE_MS = 1_500;
/** The rest of what the sampler writes to standard error is left out. */
const REASON_CHARACTERS = 200;

/**
 * Starts the sampler. Rejects with StartError: `no_such_process`, `process_forbidden`, `capture_unsupported`, or with the reason of an
 * aborted `signal`. Then the sampler does not run.
 */
export async function pinBySampler(
  pid: number,
  sampler: Sampler,
  signal?: AbortSignal,
): Promise<PinnedProcess> {
  signal?.throwIfAborted();
  const child = startSampler(pid, sampler);
  const process = new SampledProcess(pid, sampler, child);
  const timer = setTimeout(() => process.fail('it does not answer'), START_MS);
  const abort = (): void => process.refuse(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    await process.started;
    return process;
  } catch (error) {
    process.release();
    // Ctrl-C on a terminal ends the sampler, too, and it may end first.
    signal?.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function startSampler(pid: number, sampler: Sampler): ChildProcess {
  const { file, args } = sampler.command(pid);
  try {
    return spawn(file, [...args], { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  } catch (error) {
    throw unusable(pid, sampler, messageOf(error));
  }
}

class SampledProcess implements PinnedProcess {
  readonly folder = null;
  readonly pssDenied: string;
  readonly #pid: number;
  readonly #sampler: Sampler;
  readonly #child: ChildProcess;
  readonly #first = Promise.withResolvers<void>();
  /** Resolves with the first reading. */
  readonly started: Promise<void> = this.#first.promise;
  #about: Extract<SamplerEvent, { kind: 'about' }> | null = null;
  #latest: (ProcessReading & { readonly atMs: number }) | null = null;
  #hasExited = false;
  #hasEnded = false;
  #errors = '';

  constructor(pid: number, sampler: Sampler, child: ChildProcess) {
    this.#pid = pid;
    this.#sampler = sampler;
    this.#child = child;
    this.pssDenied = `${sampler.system} does not report PSS`;
    child.once('error', (error) => this.fail(error.message));
    child.once('close', (code) => {
      this.#hasEnded = true;
      this.fail(`it ended (exit code ${code ?? 'unknown'})${this.#errors}`);
    });
    // Without descriptors for them, Node creates no streams.
    child.stderr?.on('data', (text) => {
      this.#errors = `${this.#errors || ': '}${text}`.slice(0, REASON_CHARACTERS);
    });
    if (child.stdout === null) return;
    const read = sampler.reader();
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(read(line)));
  }

  get target() {
    return {
      pid: this.#pid,
      name: this.#about?.name ?? '',
      started_at: this.#about?.startedAt ?? '',
    };
  }

  exited(): boolean {
    return this.#hasExited || (this.#hasEnded && !acceptsSignals(this.#pid));
  }

  read(): ProcessReading | null {
    if (this.exited()) return null;
    const { system } = this.#sampler;
    if (this.#hasEnded) throw new Error(`The sampler for ${system} has ended`);
    if (this.#latest === null || performance.now() - this.#latest.atMs > STALE_MS) {
      throw new Error(`The sampler for ${system} does not answer`);
    }
    return this.#latest;
  }

  release(): void {
    this.#child.kill('SIGKILL');
  }

  /** Rejects {@link started}. Without effect after the first reading. */
  refuse(reason: unknown): void {
    this.#first.reject(reason);
  }

  /** Like {@link refuse}, because the sampler cannot be used. */
  fail(why: string): void {
    this.refuse(unusable(this.#pid, this.#sampler, why));
  }

  #take(event: SamplerEvent | null): void {
    if (event === null) return;
    if (event.kind === 'about') this.#about = event;
    else if (event.kind === 'refused') this.refuse(refusal(this.#pid, event.code));
    else if (event.kind === 'exited') {
      this.#hasExited = true;
      this.refuse(refusal(this.#pid, 'no_such_process'));
    } else {
      const { cpuMs, rssBytes, threads } = event;
      this.#latest = { cpuMs, rssBytes, threads, atMs: performance.now() };
      if (this.#about !== null) this.#first.resolve();
    }
  }
}

/** A process that exits while the sampler opens it cannot be read either, and is reported as missing. */
function refusal(pid: number, code: 'no_such_process' | 'process_forbidden'): StartError {
  const isMissing = code === 'no_such_process' || !acceptsSignals(pid);
  return isMissing
    ? new StartError('no_such_process', `Cannot watch process ${pid}: there is no such process`)
    : new StartError('process_forbidden', `Cannot watch process ${pid}: this user may not read it`);
}

function unusable(pid: number, { system }: Sampler, why: string): StartError {
  return new StartError(
    'capture_unsupported',
    `Cannot watch process ${pid}: the sampler for ${system} cannot be used: ${why.trim()}; opening traces works here too`,
  );
}
