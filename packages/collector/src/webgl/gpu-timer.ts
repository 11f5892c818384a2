// GPU time by EXT_disjoint_timer_query, from the first draw of a frame to the end of its task. A query costs tens of
// microseconds on the main thread, so only some frames are timed, and fewer the more a query costs. A context can have only one
// elapsed-time query at a time, so the timer stops when the game starts its own.

import { apply } from '../hooks/patch.ts';
import { now } from '../sink/clock.ts';
import type { Sink } from '../sink/sink.ts';
import { quietly } from '../sink/sink.ts';

const TIME_ELAPSED = 0x88bf;
const GPU_DISJOINT = 0x8fbb;
const QUERY_RESULT = 0x8866;
const QUERY_RESULT_AVAILABLE = 0x8867;
const CURRENT_QUERY = 0x8865;
/** Shortest and longest interval between timed frames. */
const OFTEN = 8;
const SELDOM = 480;
/**
 * Allowed cost of the queries, in milliseconds per frame on average. A query of 80 µs, which is spread over two or three frames,
 * then runs every 320 frames, so that it affects less than one frame in a hundred.
 */
const SPEND_MS = 0.00025;
/** Weight of the newest query in the estimated cost. With a coarse clock only the average is accurate. */
const NEWEST = 1 / 8;
/** Interval in frames between checks for a result. Results arrive two to four frames late, and checking costs most. */
const ASK_EVERY = 4;

/** The calls of a timer query, which have different names in WebGL 1 and 2. */
type Timer = {
  readonly gl: unknown;
  call(name: 'create' | 'begin' | 'end' | 'get' | 'read' | 'delete', ...args: unknown[]): unknown;
  /** Whether the clock of the GPU has jumped since the last call. */
  disjoint(): boolean;
};

/** The number of frames until the next query, by the cost of a query in ms. */
export function framesBetween(costMs: number): number {
  return Math.min(SELDOM, Math.max(OFTEN, Math.ceil(costMs / SPEND_MS)));
}

export class GpuTimer {
  readonly #sink: Sink;
  #timer: Timer | null = null;
  #query: unknown = null;
  #over = false;
  /** State of the query: not running, between begin and end, or waiting for its result. */
  #state: 'idle' | 'open' | 'sent' = 'idle';
  #beginning = false;
  /** The timed frame, and the next frame with work to do. */
  #timed = 0;
  #next = 0;
  /** Cost of the current query so far, and estimated cost of a query, in ms. */
  #spent = 0;
  #cost = OFTEN * SPEND_MS;
  readonly #endOfTask = () => this.#end();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Called at the first draw of a frame. Only the first context that draws is timed. */
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
      // A measuring tool must not break the game.
    }
  }

  /** Called before any query begins. If the game starts an elapsed-time query, the timer stops. */
  aboutToBegin(target: unknown): void {
    if (target !== TIME_ELAPSED || this.#beginning) return;
    if (!this.#over) this.#sink.skip('gpuTimer', 'the game times the GPU itself');
    this.stop();
  }

  /** Called when a context is lost with its query. The next context that draws is timed; it may be the same one, restored. */
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
      this.#sink.skip('gpuTimer', 'the context has no EXT_disjoint_timer_query');
      return null;
    }
    // The game may have started a query before the recording. Later ones are seen when they begin.
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

  /** Reads the result if it is available. It is invalid if the clock has jumped. */
  #read(timer: Timer): void {
    this.#next = this.#sink.frame + ASK_EVERY;
    if (timer.call('read', this.#query, QUERY_RESULT_AVAILABLE) !== true) return;
    this.#state = 'idle';
    const spoilt = timer.disjoint();
    const nanoseconds = timer.call('read', this.#query, QUERY_RESULT);
    if (!spoilt && typeof nanoseconds === 'number')
      this.#sink.setGpuTime(this.#timed, nanoseconds / 1e6);
  }

  /** Schedules the next query by the cost of the last. A query that was interrupted counts at most as the longest interval. */
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
