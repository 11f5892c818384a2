// The frames of each window of a program. A trace has the frames of one window, the main one.
import { type FramesRecord, roundMs, type TraceRecord } from '@svc/trace';

/** The most frames in one record. A line of the trace has at most 1 MiB. */
const RECORD_FRAMES = 4000;

/**
 * Another window becomes the main one if, for as many seconds, the main one has presented nothing,
 * or the other one at least twice as often. A shorter time would take a freeze of the main window
 * for its end, because tool windows may go on.
 */
const SECONDS_TO_SWITCH = 10;
const TWICE = 2;

/** The most windows that are distinguished. Frames of further ones are not counted. */
const MOST_WINDOWS = 64;

type Window = {
  /** 1 for the first window that presented a frame. */
  readonly number: number;
  /** The time of the last presented frame, in trace milliseconds. Null after a gap. */
  lastMs: number | null;
  /** Frames that are not recorded yet. Other windows than the main one keep those of the last seconds. */
  frames: { readonly from: number; readonly to: number }[];
  /** The frames presented since the last tick. */
  presented: number;
  /** For how many ticks it has presented twice as often as the main window. */
  busierTicks: number;
};

export class WindowFrames {
  readonly #windows = new Map<string, Window>();
  /** The numbers of all windows so far. A forgotten window keeps its number. */
  readonly #numbers = new Map<string, number>();
  #main: Window | null = null;
  /** For how many ticks the main window has presented nothing. */
  #silentTicks = 0;
  #lastTickMs: number | null = null;
  /** The end of the last recorded frame. */
  #recordedMs = 0;

  /** Whether a frame of any window was presented. */
  get hasPresented(): boolean {
    return this.#numbers.size > 0;
  }

  /**
   * Adds a presented frame at a trace time. Returns whether its window is the main one, or no
   * window is yet.
   */
  present(key: string, t: number): boolean {
    const window = this.#windowOf(key);
    if (window === null) return false;
    window.presented++;
    if (window.lastMs !== null && t >= window.lastMs) {
      window.frames.push({ from: window.lastMs, to: t });
    }
    window.lastMs = Math.max(t, window.lastMs ?? t);
    return window === this.#main || this.#main === null;
  }

  /** When the main window presented last, in trace milliseconds. Null without one, and after a gap. */
  get lastMs(): number | null {
    return this.#main?.lastMs ?? null;
  }

  /** Ends the current frame of every window without recording it. */
  interrupt(): void {
    for (const window of this.#windows.values()) window.lastMs = null;
  }

  /**
   * Called each second at a trace time: returns the records of the frames since the last call. After
   * the last call, the windows are known that replaced the main one in the last seconds.
   */
  take(t: number, isLast = false): TraceRecord[] {
    const seconds = (t - (this.#lastTickMs ?? t)) / 1000;
    this.#lastTickMs = t;
    const hasSwitched = this.#chooseMain(isLast);
    const main = this.#main;
    const records: TraceRecord[] = main === null ? [] : this.#recordsOf(main);
    if (hasSwitched && main !== null && this.#numbers.size > 1) {
      const text = `The program presents frames in several windows. From here on, frames are those of its window ${main.number}.`;
      records.unshift({ type: 'log', t: records[0]?.t ?? t, level: 'info', text });
    }
    for (const window of this.#windows.values()) {
      if (window !== main && window.presented > 0 && seconds > 0) {
        records.push({
          type: 'counter',
          t,
          name: `window ${window.number} frames`,
          unit: 'frames/s',
          value: Math.round((window.presented / seconds) * 10) / 10,
        });
      }
      window.presented = 0;
    }
    this.#forgetOld(t);
    return records;
  }

  #windowOf(key: string): Window | null {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    if (this.#numbers.size >= MOST_WINDOWS && !this.#numbers.has(key)) return null;
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    const window: Window = { number, lastMs: null, frames: [], presented: 0, busierTicks: 0 };
    this.#windows.set(key, window);
    return window;
  }

  /** Returns whether another window became the main one. */
  #chooseMain(isLast: boolean): boolean {
    const before = this.#main;
    const presented = before?.presented ?? 0;
    this.#silentTicks = presented > 0 ? 0 : this.#silentTicks + 1;
    const isSilent = before === null || this.#silentTicks >= (isLast ? 2 : SECONDS_TO_SWITCH);
    let best: Window | null = null;
    for (const window of this.#windows.values()) {
      if (window === before) continue;
      const isBusier = presented > 0 && window.presented >= presented * TWICE;
      window.busierTicks = isBusier ? window.busierTicks + 1 : 0;
      const isLater = (window.lastMs ?? -1) > (before?.lastMs ?? -1);
      const isCandidate = isSilent ? isLater : window.busierTicks >= SECONDS_TO_SWITCH;
      if (isCandidate && window.frames.length > (best?.frames.length ?? -1)) best = window;
    }
    if (best === null) return false;
    this.#main = best;
    this.#silentTicks = 0;
    return true;
  }

  #recordsOf(window: Window): FramesRecord[] {
    const frames = window.frames.filter(({ from }) => from >= this.#recordedMs);
    window.frames = [];
    const records: FramesRecord[] = [];
    // Frames follow each other, except after a gap. Times have three decimals, as in the trace.
    for (let i = 0; i < frames.length; ) {
      const t = frames[i]?.from ?? 0;
      const durations: number[] = [];
      for (let end = t; frames[i]?.from === end && durations.length < RECORD_FRAMES; i++) {
        const to = frames[i]?.to ?? end;
        durations.push(roundMs(to - end));
        end = to;
      }
      records.push({ type: 'frames', t, duration_ms: durations });
    }
    this.#recordedMs = Math.max(this.#recordedMs, frames.at(-1)?.to ?? 0);
    return records;
  }

  /** Forgets frames that no switch of the main window needs, and windows without recent frames. */
  #forgetOld(t: number): void {
    const oldest = t - (SECONDS_TO_SWITCH + 1) * 1000;
    for (const [key, window] of this.#windows) {
      window.frames = window.frames.filter(({ to }) => to > oldest);
      const isOld = window !== this.#main && (window.lastMs ?? 0) < oldest;
      if (isOld && window.frames.length === 0) this.#windows.delete(key);
    }
  }
}
