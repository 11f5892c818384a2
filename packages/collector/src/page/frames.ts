// Frame durations from requestAnimationFrame, with the draws of each frame. Long animation frames do not replace them, because
// they start at 50 ms. Columns of fixed size: nothing is allocated per frame.
import { roundMs } from '@svc/trace/write';
import { countOf } from '../hooks/whole.ts';
import { now } from '../sink/clock.ts';
import { type Part, quietly, type Sink } from '../sink/sink.ts';

/** Most frames between two writes: four seconds at 240 Hz. */
const ROOM = 1_024;
/** Number of recent durations for the overlay. */
const RECENT = 256;
/** GPU times arrive at most this number of frames late. */
const GPU_LATE_FRAMES = 12;
/** A frame time that differs more from the page's clock comes from another clock. */
const FOREIGN_MS = 60_000;

/** Records frames until stopped. A hidden tab has no frames; `visibility.ts` records that gap. */
export const frames: Part = (sink) => {
  // Bound at the start, so that a game that replaces them later has no effect.
  const { requestAnimationFrame: ask, cancelAnimationFrame: cancel } = globalThis;
  if (typeof ask !== 'function') return 'this context has no requestAnimationFrame';
  const columns = new FrameColumns(sink);
  let hidden = globalThis.document?.hidden === true;
  let handle = ask(tick);
  function tick(time: number): void {
    if (!sink.on) return;
    try {
      handle = ask(tick);
      if (!hidden) columns.frameBegan(time);
    } catch {
      // A replacement by the page may throw.
    }
  }
  const onVisibility = () =>
    quietly(() => {
      hidden = document.hidden;
      columns.breakOff();
    });
  globalThis.document?.addEventListener('visibilitychange', onVisibility);
  sink.recent = new Float64Array(RECENT);
  sink.setGpuTime = (frame, ms) => columns.setGpuTime(frame, ms);
  sink.collects.push(() => columns.collect(sink.ending));
  return () => {
    quietly(() => cancel(handle));
    globalThis.document?.removeEventListener('visibilitychange', onVisibility);
  };
};

/** The frames that are not written yet, in columns, and the start of the current frame. */
class FrameColumns {
  readonly #sink: Sink;
  readonly #duration = new Float64Array(ROOM);
  readonly #draws = new Float64Array(ROOM);
  readonly #triangles = new Float64Array(ROOM);
  readonly #gpu = new Float64Array(ROOM);
  #count = 0;
  /** Start of the first frame in the columns, by the page's clock. */
  #start = 0;
  /** Number of the first frame in the columns. */
  #first = 0;
  /** Start of the current frame by the page's clock; NaN without one. */
  #began = Number.NaN;
  /** Whether the frame times come from another clock, because the page has replaced requestAnimationFrame. */
  #foreign = false;
  #missed = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Starts a frame and ends the previous one. `given` is the time from requestAnimationFrame. */
  frameBegan(given: number): void {
    if (Number.isNaN(this.#began)) this.#foreign = !(Math.abs(given - now()) < FOREIGN_MS);
    const time = this.#foreign ? now() : given;
    const { work, recent, frame } = this.#sink;
    const duration = time - this.#began;
    if (duration > 0) {
      if (this.#count === 0) {
        this.#start = this.#began;
        this.#first = frame;
      }
      if (recent !== null) recent[frame % RECENT] = duration;
      this.#add(duration, work.draws, work.triangles);
    } else if (duration <= 0) {
      // A browser under load can give two callbacks the same time. Then the frame goes on, with its draws.
      return;
    }
    this.#sink.frame++;
    work.draws = 0;
    work.triangles = 0;
    // The first frame may have started before the recording. Then it starts with the recording.
    this.#began = Math.max(time, this.#sink.origin);
  }

  #add(duration: number, draws: number, triangles: number): void {
    const at = this.#count;
    if (at === ROOM) {
      this.#missed++;
      return;
    }
    this.#duration[at] = duration;
    this.#draws[at] = draws;
    this.#triangles[at] = triangles;
    this.#gpu[at] = Number.NaN;
    this.#count = at + 1;
  }

  setGpuTime(frame: number, ms: number): void {
    const at = frame - this.#first;
    if (at >= 0 && at < this.#count) this.#gpu[at] = ms;
  }

  /** Ends the current frame without recording it. The next frame starts a new line. */
  breakOff(): void {
    this.collect(true);
    this.#began = Number.NaN;
  }

  /** Writes a line. The newest frames wait for their GPU times unless `all` is set, or frames after them are missing. */
  collect(all: boolean): void {
    const late = all || this.#missed > 0 || !this.#sink.columns.gpu ? 0 : GPU_LATE_FRAMES;
    const ready = this.#count - late;
    if (ready > 0) this.#writeLine(ready);
    if (this.#missed > 0) this.#writeMissed();
  }

  #writeLine(ready: number): void {
    const { columns } = this.#sink;
    const first = <T>(column: Float64Array, convert: (value: number) => T): T[] =>
      Array.from(column.subarray(0, ready), convert);
    const gpu = columns.gpu ? first(this.#gpu, msOrNull) : null;
    this.#sink.write({
      type: 'frames',
      t: this.#sink.since(this.#start),
      duration_ms: first(this.#duration, roundMs),
      ...(columns.draws && {
        draws: first(this.#draws, countOf),
        triangles: first(this.#triangles, countOf),
      }),
      ...(gpu?.some((ms) => ms !== null) && { gpu_ms: gpu }),
    });
    for (let at = 0; at < ready; at++) this.#start += this.#duration[at] ?? 0;
    for (const column of [this.#duration, this.#draws, this.#triangles, this.#gpu]) {
      column.copyWithin(0, ready, this.#count);
    }
    this.#count -= ready;
    this.#first += ready;
  }

  /** Writes a loss for frames without room, because the write came too late. The gap ends at the start of the current frame. */
  #writeMissed(): void {
    this.#sink.lost += this.#missed;
    this.#sink.write({
      type: 'loss',
      t: this.#sink.since(this.#start),
      reason: 'buffer_full',
      count: this.#missed,
      duration_ms: roundMs(this.#began - this.#start),
    });
    this.#missed = 0;
  }
}

function msOrNull(ms: number): number | null {
  return Number.isNaN(ms) ? null : roundMs(ms);
}
