// What a Chrome trace contains about one thread, as far as it may be written.
import { Float64List } from '../bytes/growable.ts';
import { TimeCover } from '../times/time-cover.ts';
import type { ChromeEvent } from './chrome-event.ts';
import { numberOf, textOf } from './json-fields.ts';
import { nameFrame } from './name-frame.ts';

/** A named interval in µs on the clock of the file. */
export type Interval = { readonly name: string; readonly ts: number; readonly dur: number };

/** The browsers' definition of a long task. */
const LONG_TASK_US = 50_000;
/** Shorter work is not written: a frame has hundreds of such events. */
export const WORK_US = 1000;

/** Work of the renderer that is not script, by event. */
const RENDERING: ReadonlyMap<string, string> = new Map([
  ['UpdateLayoutTree', 'style'],
  ['Layout', 'layout'],
  ['PrePaint', 'pre-paint'],
  ['Paint', 'paint'],
  ['Layerize', 'layerize'],
  ['UpdateLayer', 'layers'],
  ['Commit', 'commit'],
  ['ParseHTML', 'parse HTML'],
]);
const COLLECTIONS: ReadonlyMap<string, string> = new Map([
  ['MinorGC', 'minor GC'],
  ['MajorGC', 'major GC'],
]);
/** The names of the same collections where Chrome recorded only the events of V8. */
const V8_COLLECTIONS: ReadonlyMap<string, string> = new Map([
  ['V8.GCScavenger', 'minor GC'],
  ['V8.GCFinalizeMC', 'major GC'],
  ['V8.GCCompactor', 'major GC'],
]);
/** Chrome records a task of the main thread under both names, if both categories are on. */
const TASKS: ReadonlySet<string> = new Set(['RunTask', 'ThreadControllerImpl::RunTask']);

export class ChromeThread {
  readonly thread: string;
  readonly pid: string;
  name = '';
  /** The time in all tasks, in µs. */
  busy = 0;
  /** All tasks of the thread. */
  readonly tasks: { readonly ts: Float64List; readonly dur: Float64List } = {
    ts: new Float64List(64),
    dur: new Float64List(64),
  };
  /** Callbacks of animation frames. */
  readonly callbacks: { readonly ts: Float64List; readonly dur: Float64List } = {
    ts: new Float64List(64),
    dur: new Float64List(64),
  };
  /** The starts of frames of the main thread. */
  readonly begins = new Float64List(64);
  /** The times at which the page asked for another frame. */
  readonly requests = new Float64List(64);
  readonly draws = new Float64List(64);
  readonly rendering: Interval[] = [];
  readonly decodes: Interval[] = [];
  /** Calls from the browser into scripts. */
  readonly calls: Interval[] = [];
  /** Scripts that were compiled and run; the name is the URL. */
  readonly scripts: Interval[] = [];
  readonly compiles: Interval[] = [];
  readonly #collections: Interval[] = [];
  readonly #v8Collections: Interval[] = [];
  /** The name of the events that are tasks: the first one that the thread has. */
  #taskName = '';

  constructor(thread: string, pid: string) {
    this.thread = thread;
    this.pid = pid;
  }

  get collections(): readonly Interval[] {
    return this.#collections.length > 0 ? this.#collections : this.#v8Collections;
  }

  /** Tasks that took long enough to be long tasks. */
  get longTasks(): readonly Interval[] {
    return this.tasksOf(LONG_TASK_US);
  }

  /** Tasks of at least `least` µs, in file order. */
  tasksOf(least: number): Interval[] {
    const { ts, dur } = this.tasks;
    const tasks: Interval[] = [];
    for (let i = 0; i < ts.length; i++) {
      const length = dur.values[i] ?? 0;
      if (length >= least) tasks.push({ name: 'task', ts: ts.values[i] ?? 0, dur: length });
    }
    return tasks;
  }

  /** The spans of time in which tasks of the thread ran, in µs. Null if Chrome recorded no tasks. */
  get work(): TimeCover | null {
    const from = this.tasks.ts.trimmed();
    if (from.length === 0) return null;
    const dur = this.tasks.dur.values;
    return new TimeCover({ from, to: from.map((start, i) => start + (dur[i] ?? 0)) });
  }

  /** Keeps what is written of an event of this thread. */
  take(event: ChromeEvent): void {
    const { name, ph, ts } = event;
    if (ph === 'X') this.#takeWork(event);
    else if (name === 'BeginMainThreadFrame') this.begins.push(ts);
    else if (name === 'RequestAnimationFrame') this.requests.push(ts);
    else if (name === 'DrawFrame') this.draws.push(ts);
  }

  #takeWork({ name, ts, dur, data }: ChromeEvent): void {
    if (TASKS.has(name)) this.#takeTask(name, ts, dur);
    else if (name === 'FireAnimationFrame') {
      this.callbacks.ts.push(ts);
      this.callbacks.dur.push(dur);
    } else if (name === 'EvaluateScript') {
      this.scripts.push({ name: textOf(data['url']), ts, dur });
      this.#takeCall(data, ts, dur);
    } else if (name === 'v8.compile') {
      this.compiles.push({ name: textOf(data['url']), ts, dur });
    } else if (name === 'FunctionCall') this.#takeCall(data, ts, dur);
    else if (dur >= WORK_US) this.#takeNamed(name, ts, dur);
  }

  #takeTask(name: string, ts: number, dur: number): void {
    if (this.#taskName === '') this.#taskName = name;
    if (this.#taskName !== name) return;
    this.busy += dur;
    this.tasks.ts.push(ts);
    this.tasks.dur.push(dur);
  }

  #takeNamed(name: string, ts: number, dur: number): void {
    const into: readonly (readonly [ReadonlyMap<string, string>, Interval[]])[] = [
      [RENDERING, this.rendering],
      [COLLECTIONS, this.#collections],
      [V8_COLLECTIONS, this.#v8Collections],
    ];
    for (const [names, list] of into) {
      const known = names.get(name);
      if (known !== undefined) list.push({ name: known, ts, dur });
    }
    if (name === 'ImageDecodeTask') this.decodes.push({ name: 'image decode', ts, dur });
  }

  /** The events count lines and columns from 1, call frames from 0. */
  #takeCall(data: ChromeEvent['data'], ts: number, dur: number): void {
    if (dur < WORK_US) return;
    const { name } = nameFrame({
      functionName: data['functionName'],
      url: data['url'],
      lineNumber: numberOf(data['lineNumber']) - 1,
      columnNumber: numberOf(data['columnNumber']) - 1,
    });
    this.calls.push({ name, ts, dur });
  }
}
