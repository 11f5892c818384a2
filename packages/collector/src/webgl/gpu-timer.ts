// GPU time by EXT_disjoint_timer_query: from the first draw of a frame to the end of the task that drew it. A query costs the
// main thread tens of microseconds, so only some frames are asked for, fewer the more it costs; the others stay unknown.
// Only one elapsed-time query can run in a context, so the moment the game wants one itself, ours are over.

import { apply } from '../hooks/patch.ts';
import { now } from '../sink/clock.ts';
import type { Sink } from '../sink/sink.ts';
import { quietly } from '../sink/sink.ts';

const TIME_ELAPSED = 0x88bf;
const GPU_DISJOINT = 0x8fbb;
const QUERY_RESULT = 0x8866;
const QUERY_RESULT_AVAILABLE = 0x8867;
const CURRENT_QUERY = 0x8865;
/** One frame in so many is asked for, at most and at least. */
const OFTEN = 8;
const SELDOM = 480;
/**
 * What the queries may cost on average, in milliseconds a frame: a quarter of a microsecond. A query of 80 µs, which is
 * spread over two or three frames, is then made every 320, so that of all frames less than one in a hundred feels it.
 */
const SPEND_MS = 0.00025;
/** Weight of the newest query in what one is taken to cost. A coarse clock tells it on average only. */
const NEWEST = 1 / 8;
/** Results come two to four frames late, and asking for one is what costs most: asked every so many frames. */
const ASK_EVERY = 4;

/** The calls of a timer query, which WebGL 1 and 2 spell differently. */
type Timer = {
  readonly gl: unknown;
  call(name: 'create' | 'begin' | 'end' | 'get' | 'read' | 'delete', ...args: unknown[]): unknown;
  /** Whether the GPU's clock jumped since the last time asked. */
  disjoint(): boolean;
};

/** How many frames on the next query begins, where one costs so much. */
export function framesBetween(costMs: number): number {
  return Math.min(SELDOM, Math.max(OFTEN, Math.ceil(costMs / SPEND_MS)));
}

export class GpuTimer {
  readonly #sink: Sink;
  #timer: Timer | null = null;
  #query: unknown = null;
  #over = false;
  /** Where the query is: none, between its begin and end, or on its way back. */
  #state: 'idle' | 'open' | 'sent' = 'idle';
  #beginning = false;
  /** The frame that is timed, and the first one with something to do again. */
  #timed = 0;
  #next = 0;
  /** What the query under way has cost, and what one is taken to cost. */
  #spent = 0;
  #cost = OFTEN * SPEND_MS;
  readonly #endOfTask = () => this.#end();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** The first draw of a frame. The first context that draws is the one that is timed. */
  firstDraw(gl: unknown): void {
    if (this.#over || this.#sink.frame < this.#next) return;
    try {
      const timer = this.#timer ?? this.#make(gl);
      this.#timer = timer;
      if (timer === null || timer.gl !== gl) return;
      const from = now();
      if (this.#state === 'sent') this.#read(timer);
      else if (this.#state === 'idle') this.#begin(timer);
      this.#spent += now() - from;
      if (this.#state === 'idle') this.#rest();
    } catch {
      // A measuring tool must not become the fault.
    }
  }

  /** A query begins somewhere. If it is the game's and of our sort, the game comes first. */
  aboutToBegin(target: unknown): void {
    if (target !== TIME_ELAPSED || this.#beginning) return;
    if (!this.#over) this.#sink.absent('gpuTimer', 'the game times the GPU itself');
    this.stop();
  }

  /** The context is lost, and its query with it: the next context that draws is timed, be it the same one restored. */
  forget(context: unknown): void {
    if (this.#timer?.gl !== context) return;
    this.#timer = null;
    this.#query = null;
    this.#state = 'idle';
    this.#next = 0;
  }

  stop(): void {
    quietly(() => this.#end());
    this.#over = true;
    const timer = this.#timer;
    this.#timer = null;
    quietly(() => timer?.call('delete', this.#query));
  }

  #make(gl: unknown): Timer | null {
    if (isLost(gl)) return null;
    const timer = timerOf(gl);
    if (timer === null) {
      this.#over = true;
      this.#sink.absent('gpuTimer', 'the context has no EXT_disjoint_timer_query');
      return null;
    }
    // A query that the game began before the recording: later ones are seen as they begin.
    if (timer.call('get', TIME_ELAPSED, CURRENT_QUERY) !== null) return null;
    this.#query = timer.call('create');
    this.#sink.columns.gpu = true;
    return timer;
  }

  #begin(timer: Timer): void {
    this.#spent = 0;
    this.#beginning = true;
    timer.call('begin', TIME_ELAPSED, this.#query);
    this.#beginning = false;
    this.#state = 'open';
    this.#timed = this.#sink.frame;
    this.#next = this.#timed + ASK_EVERY;
    queueMicrotask(this.#endOfTask);
  }

  #end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'sent';
    const from = now();
    quietly(() => this.#timer?.call('end', TIME_ELAPSED));
    this.#spent += now() - from;
  }

  /** Takes the result where it is there. A disjoint clock spoils it. */
  #read(timer: Timer): void {
    this.#next = this.#sink.frame + ASK_EVERY;
    if (timer.call('read', this.#query, QUERY_RESULT_AVAILABLE) !== true) return;
    this.#state = 'idle';
    const spoilt = timer.disjoint();
    const nanoseconds = timer.call('read', this.#query, QUERY_RESULT);
    if (!spoilt && typeof nanoseconds === 'number')
      this.#sink.setGpuTime(this.#timed, nanoseconds / 1e6);
  }

  /** A query is over: the next waits the longer the more they cost. One that met a pause counts for no more than the longest wait. */
  #rest(): void {
    const spent = Math.min(this.#spent, SELDOM * SPEND_MS);
    this.#cost += (spent - this.#cost) * NEWEST;
    this.#next = Math.max(this.#next, this.#timed + framesBetween(this.#cost));
  }
}

function isLost(gl: unknown): boolean {
  return (
    typeof gl === 'object' && gl !== null && Reflect.get(gl, 'isContextLost')?.call(gl) === true
  );
}

function timerOf(gl: unknown): Timer | null {
  if (globalThis.WebGL2RenderingContext !== undefined && gl instanceof WebGL2RenderingContext) {
    if (gl.getExtension('EXT_disjoint_timer_query_webgl2') === null) return null;
    return makeTimer(gl, gl, '', 'getQueryParameter');
  }
  if (globalThis.WebGLRenderingContext !== undefined && gl instanceof WebGLRenderingContext) {
    const extension: unknown = gl.getExtension('EXT_disjoint_timer_query');
    if (typeof extension !== 'object' || extension === null) return null;
    return makeTimer(gl, extension, 'EXT', 'getQueryObjectEXT');
  }
  return null;
}

function makeTimer(
  gl: WebGLRenderingContext | WebGL2RenderingContext,
  owner: object,
  suffix: string,
  read: string,
): Timer {
  const names = {
    create: `createQuery${suffix}`,
    begin: `beginQuery${suffix}`,
    end: `endQuery${suffix}`,
    get: `getQuery${suffix}`,
    read,
    delete: `deleteQuery${suffix}`,
  };
  return {
    gl,
    call: (name, ...args) => apply(Reflect.get(owner, names[name]), owner, args),
    disjoint: () => gl.getParameter(GPU_DISJOINT) === true,
  };
}
