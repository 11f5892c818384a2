// Everything of a Chrome trace that is written, collected event by event, and the choice of the page.
import { Float64List } from '../bytes/growable.ts';
import { type ChromeEvent, readEvent } from './chrome-event.ts';
import { frameStarts } from './chrome-frames.ts';
import { ChromeLoads } from './chrome-loads.ts';
import { ChromeThread } from './chrome-thread.ts';
import { ChromeTimings } from './chrome-timings.ts';
import { fieldsOf, listOf, numberOf, textOf } from './json-fields.ts';
import { V8Profile } from './v8-profile.ts';

/** The name that Chrome gives to the main thread of a page's process. */
const MAIN_THREAD = 'CrRendererMain';
const STARTS: ReadonlySet<string> = new Set(['TracingStartedInBrowser', 'TracingStartedInPage']);
/** Chrome reports a full buffer under names like these. */
const BUFFER_FULL = /buffer_?(?:is_?)?(?:full|overflow)/i;

/** A profile and the thread that it samples. */
export type RecordedProfile = { readonly profile: V8Profile; thread: string };

export class ChromeRecording {
  readonly threads = new Map<string, ChromeThread>();
  readonly profiles = new Map<string, RecordedProfile>();
  readonly loads = new ChromeLoads();
  readonly timings = new Map<string, ChromeTimings>();
  readonly bufferFull = new Float64List(8);
  unreadable = 0;
  #start = Number.NaN;
  #earliest = Number.POSITIVE_INFINITY;

  /** The time of `t` 0: the start of the recording if Chrome noted it, otherwise the first time that is written. In µs. */
  get origin(): number {
    if (!Number.isNaN(this.#start)) return this.#start;
    return Number.isFinite(this.#earliest) ? this.#earliest : 0;
  }

  take(value: unknown): void {
    const event = readEvent(value);
    if (event === null) {
      this.unreadable++;
      return;
    }
    const { name, ph, ts } = event;
    if (ph === 'M') {
      if (name === 'thread_name') this.#thread(event).name = textOf(event.args['name']);
      return;
    }
    if (STARTS.has(name) && !(ts >= this.#start)) this.#start = ts;
    if (name === 'ProfileChunk' || name === 'Profile' || name === 'CpuProfile') {
      this.#takeProfile(event);
    } else if (event.cat.includes('blink.user_timing')) this.#timing(event).take(event);
    else if (BUFFER_FULL.test(name)) this.bufferFull.push(ts);
    else {
      this.loads.take(event);
      const thread = this.#thread(event);
      thread.take(event);
      if (name === 'FireAnimationFrame' || name === 'RunTask') this.#notice(ts);
    }
  }

  /** The main thread of the page: of all renderers the one with the most frames, then the most work. Null without any thread. */
  mainThread(): ChromeThread | null {
    const threads = [...this.threads.values()];
    const mains = threads.filter(({ name }) => name === MAIN_THREAD);
    const sampled = new Set([...this.profiles.values()].map(({ thread }) => thread));
    const ranked = (mains.length > 0 ? mains : threads)
      .map((thread) => ({ thread, frames: frameStarts(thread).length }))
      .sort(
        (a, b) =>
          b.frames - a.frames ||
          Number(sampled.has(b.thread.thread)) - Number(sampled.has(a.thread.thread)) ||
          b.thread.busy - a.thread.busy,
      );
    return ranked[0]?.thread ?? null;
  }

  /** The number of main threads, each of a process with at least one page. */
  get renderers(): number {
    return [...this.threads.values()].filter(({ name }) => name === MAIN_THREAD).length;
  }

  #notice(ts: number): void {
    this.#earliest = Math.min(this.#earliest, ts);
  }

  #thread({ thread, pid }: ChromeEvent): ChromeThread {
    const known = this.threads.get(thread) ?? new ChromeThread(thread, pid);
    this.threads.set(thread, known);
    return known;
  }

  #timing({ pid }: ChromeEvent): ChromeTimings {
    const known = this.timings.get(pid) ?? new ChromeTimings();
    this.timings.set(pid, known);
    return known;
  }

  /**
   * A profile begins with a `Profile` event on the sampled thread. Its nodes and samples follow in `ProfileChunk` events of
   * another thread. Before version 58, Chrome wrote one `CpuProfile` event.
   */
  #takeProfile(event: ChromeEvent): void {
    const { name, id, thread, ts, data } = event;
    const recorded = this.profiles.get(id) ?? { profile: new V8Profile(), thread };
    this.profiles.set(id, recorded);
    const { profile } = recorded;
    const whole = fieldsOf(data['cpuProfile'] ?? event.args['cpuProfile']);
    if (name !== 'ProfileChunk') {
      this.#thread(event);
      recorded.thread = thread;
      profile.start = numberOf(data['startTime'] ?? whole['startTime']);
      if (Number.isNaN(profile.start)) profile.start = ts;
      this.#notice(profile.start);
    }
    for (const node of listOf(whole['nodes'])) profile.addNode(node);
    const samples = listOf(whole['samples']);
    const deltas = listOf(data['timeDeltas'] ?? whole['timeDeltas']);
    const pairs = Math.min(samples.length, deltas.length);
    profile.skip(samples.length - pairs);
    for (let i = 0; i < pairs; i++) {
      profile.addSample(numberOf(samples[i]));
      profile.addDelta(numberOf(deltas[i]) || 0);
    }
    const end = numberOf(data['endTime'] ?? whole['endTime']);
    if (end > 0) profile.end = end;
  }
}
