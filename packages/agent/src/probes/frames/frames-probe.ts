// The probe `frames`: turns the calls that present frames into frame records.
import type { TraceRecord } from '@svc/trace';
import type { ProbeContext, ProbeKind, ProbeReader } from '../probe-kind.ts';
import { CallOrder, type OrderedSwap } from './call-order.ts';
import { IdleWatch } from './idle-watch.ts';
import { parseFrameLine } from './parse-frame-line.ts';
import { WindowFrames } from './window-frames.ts';

/** The most calls that are read in one second. Further ones are lost. */
const MOST_CALLS = 50_000;

/** A pause in which the program was idle for as many seconds is not a frame. */
const PAUSE_SECONDS = 10;

/** The most threads that count as presenting. */
const MOST_FRAME_THREADS = 16;

/** After as many seconds without a first frame, the status says so. */
const PATIENCE_TICKS = 3;

export const framesProbe: ProbeKind = {
  id: 'frames',
  open: (context) => new FramesReader(context),
};

class FramesReader implements ProbeReader {
  readonly #context: ProbeContext;
  readonly #windows = new WindowFrames();
  readonly #order = new CallOrder();
  readonly #idle: IdleWatch;
  #calls = 0;
  #lost = 0;
  #ticks = 0;
  #waitsFor: 'none' | 'vulkan' | null = null;

  constructor(context: ProbeContext) {
    this.#context = context;
    this.#idle = new IdleWatch(context.process);
  }

  waiting(what: string): void {
    this.#waitsFor = what === 'vulkan' ? 'vulkan' : 'none';
  }

  ready(): void {
    this.#waitsFor = null;
    this.#presentAll();
    this.#order.restart();
    this.#windows.interrupt();
  }

  line(text: string): void {
    const swap = parseFrameLine(text);
    if (swap !== null && this.#calls++ < MOST_CALLS) this.#order.add(swap);
  }

  tick(t: number): void {
    this.#ticks++;
    if (this.#calls === 0) this.#idle.tick(t);
    this.#calls = 0;
    this.#order.tick();
    this.#presentAll();
    this.#write(t);
  }

  end(t: number): void {
    this.#order.tick();
    this.#order.tick();
    this.#presentAll();
    this.#write(t, true);
  }

  note(): string | null {
    if (this.#waitsFor === 'vulkan') {
      return 'The program uses Vulkan, whose frames svc does not observe. Start it under MangoHud, and open the log of MangoHud';
    }
    if (this.#waitsFor === 'none') return 'The program has not loaded OpenGL or EGL so far';
    if (this.#windows.hasPresented || this.#ticks < PATIENCE_TICKS) return null;
    return 'The program has loaded OpenGL or EGL, and has presented no frame so far';
  }

  /** Without tracefs, bpftrace reports an error when it ends, although nothing is wrong. */
  complaint(text: string): boolean {
    return /uprobe_events\): No such file|failed to detach probe/.test(text);
  }

  #presentAll(): void {
    for (const swap of this.#order.take()) this.#present(swap);
  }

  #present({ tid, ns, window, lostBefore }: OrderedSwap): void {
    if (lostBefore > 0) this.#lose(lostBefore);
    const t = this.#context.toTraceMs(ns);
    if (this.#idle.seconds >= PAUSE_SECONDS) this.#endPause(t);
    this.#idle.reset();
    const isMain = this.#windows.present(window, t);
    const { frameThreads } = this.#context;
    if (isMain && frameThreads.size < MOST_FRAME_THREADS) frameThreads.add(tid);
  }

  #endPause(t: number): void {
    const from = this.#windows.lastMs;
    this.#windows.interrupt();
    if (from === null || from >= t) return;
    this.#append({ type: 'loss', t: from, reason: 'not_drawing', duration_ms: t - from });
  }

  /** The frame in which calls were lost would look longer than it was. */
  #lose(count: number): void {
    this.#windows.interrupt();
    this.#lost += count;
  }

  #write(t: number, isLast = false): void {
    for (const record of this.#windows.take(t, isLast)) this.#context.append(record);
    if (this.#lost === 0) return;
    this.#append({ type: 'loss', t, reason: 'frames_lost', count: this.#lost });
    this.#lost = 0;
  }

  #append(loss: Omit<Extract<TraceRecord, { type: 'loss' }>, 'probe'>): void {
    this.#context.append({ ...loss, probe: 'frames' });
  }
}
