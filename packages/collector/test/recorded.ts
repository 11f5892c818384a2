// A recording without a browser: a sink whose lines are read back, and globals of a browser that are set for one test.
import type { TestContext } from 'node:test';
import { ByteLog } from '../src/byte-log.ts';
import { Sink } from '../src/sink.ts';

export type Line = Readonly<Record<string, unknown>>;

export type Recorded = {
  readonly sink: Sink;
  /** Writes what waits, and gives the lines that no call before gave. */
  lines(all?: boolean): Line[];
};

export function recorded(): Recorded {
  const log = new ByteLog(64 * 1024 * 1024);
  const sink = new Sink(log, undefined);
  let told = 0;
  return {
    sink,
    lines: (all = false) => {
      sink.flush(all, false);
      const text = Buffer.concat(log.parts()).toString('utf8');
      const lines: Line[] = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
      const fresh = lines.slice(told);
      told = lines.length;
      return fresh;
    },
  };
}

/** Sets a global for this test; `undefined` takes it away. */
export function setGlobal(t: TestContext, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  t.after(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, before);
  });
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
