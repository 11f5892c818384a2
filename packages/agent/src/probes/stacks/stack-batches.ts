// Turns each second's stacks into `stacks` records, and lost samples into `loss` records.
import { readFileSync } from 'node:fs';
import { roundMs } from '@svc/trace';
import type { LinuxProcess } from '../../target/pin-process.ts';
import type { ProbeContext } from '../probe-kind.ts';
import { MemoryMap } from './memory-map.ts';
import { FrameNames } from './name-frames.ts';
import { PerfMap } from './perf-map.ts';
import type { RawStack } from './raw-stack.ts';
import { type Frame, SAMPLE_MS, StackTable } from './stack-table.ts';

/** The most threads whose names are read in one second. */
const THREADS_NAMED = 1024;

/** The part that all collectors of stacks share, after their text is parsed. */
export class StackBatches {
  readonly #context: ProbeContext;
  readonly #table = new StackTable();
  readonly #perfMap: PerfMap;
  readonly #memory: MemoryMap;
  readonly #names: FrameNames;
  /** The root frames of threads. They are cleared each second, because a thread may change its name. */
  #threads = new Map<number, Frame>();
  #batch: RawStack[] = [];
  #from: number | null = null;
  #lost = 0;

  constructor(context: ProbeContext) {
    this.#context = context;
    this.#perfMap = openPerfMap(context.process);
    this.#memory = new MemoryMap(`${context.process.folder}/maps`);
    this.#names = new FrameNames(this.#perfMap, this.#memory);
    this.#memory.read();
  }

  /** Sampling has begun. */
  ready(t: number): void {
    this.#from = t;
  }

  add(stack: RawStack): void {
    this.#batch.push(stack);
  }

  /** Counts samples that were taken but can't be recorded. */
  lose(count: number): void {
    this.#lost += count;
  }

  /** Writes the samples up to `t`. */
  write(t: number): void {
    const from = Math.min(this.#from ?? t, t);
    this.#from = t;
    this.#perfMap.refresh();
    this.#memory.expire();
    this.#threads.clear();
    for (const stack of this.#batch) this.#take(stack, t);
    this.#batch = [];
    for (const record of this.#table.take({ t: from, durationMs: roundMs(t - from) })) {
      this.#context.append(record);
    }
    if (this.#lost === 0) return;
    const loss = { type: 'loss', reason: 'stacks_lost', probe: 'stacks' } as const;
    this.#context.append({ ...loss, t: from, count: this.#lost });
    this.#lost = 0;
  }

  end(t: number): void {
    this.write(t);
    this.#perfMap.release();
  }

  #take(stack: RawStack, now: number): void {
    const isEmpty = stack.user.length + stack.kernel.length === 0;
    const frames = this.#names.stack(this.#thread(stack.tid), stack);
    const starts = stack.atNs.map((ns) => (ns === null ? null : this.#startOf(ns, now)));
    if (isEmpty || !this.#table.add(frames, starts)) this.#lost += stack.atNs.length;
  }

  /**
   * The trace time at which a sample starts. It stands for the time around the moment when it was
   * taken, half of it before that moment. A time after `now` is invalid, and counts as `now`.
   */
  #startOf(ns: number, now: number): number {
    return roundMs(Math.max(0, Math.min(this.#context.toTraceMs(ns), now) - SAMPLE_MS / 2));
  }

  #thread(tid: number): Frame {
    const known = this.#threads.get(tid);
    if (known !== undefined) return known;
    const { frameThreads, process } = this.#context;
    const name = this.#threads.size < THREADS_NAMED ? readThreadName(process.folder, tid) : null;
    const category = frameThreads.has(tid) ? 'main' : '';
    const root: Frame = { name: name ?? process.target.name, category };
    this.#threads.set(tid, root);
    return root;
  }
}

/** The name of a thread. Null if it has exited. */
function readThreadName(folder: string, tid: number): string | null {
  try {
    return readFileSync(`${folder}/task/${tid}/comm`, 'utf8').trimEnd() || null;
  } catch {
    return null;
  }
}

/**
 * Opens the map that the runtime writes. The path contains the PID that the process sees itself, in
 * the /tmp that it sees.
 */
function openPerfMap({ folder, target: { pid } }: LinuxProcess): PerfMap {
  const { ownPid, uid } = readIdentity(folder, pid);
  const paths = [`${folder}/root/tmp/perf-${ownPid}.map`, `/tmp/perf-${pid}.map`];
  return new PerfMap(paths, uid === null ? [] : [uid]);
}

function readIdentity(folder: string, pid: number): { ownPid: number; uid: number | null } {
  try {
    const status = readFileSync(`${folder}/status`, 'latin1');
    const ownPid = /^NSpid:.*\s(\d+)$/m.exec(status)?.[1];
    const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
    return { ownPid: Number(ownPid ?? pid), uid: uid === undefined ? null : Number(uid) };
  } catch {
    return { ownPid: pid, uid: null };
  }
}
