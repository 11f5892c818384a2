// A recording without a browser: a sink whose lines a test reads, and browser globals that are set for one test.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ByteLog } from '../src/sink/byte-log.ts';
import { type Part, Sink } from '../src/sink/sink.ts';

export type Line = Readonly<Record<string, unknown>>;

export type Recorded = {
  readonly sink: Sink;
  /** Writes pending records, and returns the lines since the last call. */
  lines(all?: boolean): Line[];
};

export function recorded(): Recorded {
  const log = new ByteLog(64 * 1024 * 1024);
  const sink = new Sink(log, undefined);
  let reported = 0;
  return {
    sink,
    lines: (all = false) => {
      sink.flush(all, false);
      const text = Buffer.concat(log.parts()).toString('utf8');
      const lines: Line[] = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
      const fresh = lines.slice(reported);
      reported = lines.length;
      return fresh;
    },
  };
}

/** The globals that each test has set. */
const set = new WeakMap<TestContext, Set<string>>();

/** Sets a global for this test. May be called again; `undefined` removes the global. */
export function setGlobal(t: TestContext, name: string, value: unknown): void {
  const names = set.get(t) ?? new Set();
  set.set(t, names);
  if (!names.has(name)) {
    names.add(name);
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    t.after(() => {
      if (before === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, before);
    });
  }
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** A document that can be hidden and shown. */
export class Page extends EventTarget {
  hidden = false;

  turn(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

/** Animation frames that a test starts. */
export class Frames {
  readonly asked: ((time: number) => void)[] = [];
  readonly cancelled: unknown[] = [];

  constructor(t: TestContext) {
    setGlobal(t, 'requestAnimationFrame', (tick: (time: number) => void) => this.asked.push(tick));
    setGlobal(t, 'cancelAnimationFrame', (handle: unknown) => this.cancelled.push(handle));
  }

  begin(...times: number[]): void {
    for (const time of times) this.asked.at(-1)?.(time);
  }
}

/** Starts a part, which must be supported. */
export function begin(part: Part, sink: Sink): () => void {
  const stop = part(sink);
  assert.ok(typeof stop === 'function', String(stop));
  return stop;
}

/** A fake performance observer whose entries a test sets. */
export function observers(t: TestContext, ...types: string[]) {
  const made: Observer[] = [];
  class Observer {
    static readonly supportedEntryTypes = types;
    readonly take: (list: object, self: object, more?: object) => void;
    options: unknown;
    waiting: unknown[] = [];
    connected = true;
    constructor(take: (list: object, self: object, more?: object) => void) {
      this.take = take;
      made.push(this);
    }
    observe(options: unknown): void {
      this.options = options;
    }
    takeRecords(): unknown[] {
      return this.waiting.splice(0);
    }
    /** Discards pending entries, as browsers do. */
    disconnect(): void {
      this.connected = false;
      this.waiting = [];
    }
    tell(entries: readonly unknown[], droppedEntriesCount?: number): void {
      const more = droppedEntriesCount === undefined ? [] : [{ droppedEntriesCount }];
      this.take({ getEntries: () => entries }, this, ...more);
    }
  }
  setGlobal(t, 'PerformanceObserver', Observer);
  return made;
}
