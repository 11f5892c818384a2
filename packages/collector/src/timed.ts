// Replaces a method by one that measures how long the call kept the main thread.
import { now } from './clock.ts';
import { replaceMethod } from './patch.ts';
import { quietly, type Sink } from './sink.ts';

/** Told after each call that did not throw: what it was called on, arguments, result, when it began, how long it took. */
export type After = (
  self: object,
  args: readonly unknown[],
  result: unknown,
  at: number,
  ms: number,
) => void;

/** Times the method while the recording runs; null where the owner has no such method. */
export function timeMethod(
  sink: Sink,
  owner: object | undefined,
  name: string,
  after: After,
): (() => void) | null {
  return replaceMethod(owner, name, (original) => {
    return function (this: unknown, ...args: never[]) {
      if (!sink.on) return Reflect.apply(original, this, args);
      const at = now();
      const result = Reflect.apply(original, this, args);
      const ms = now() - at;
      if (typeof this === 'object' && this !== null)
        quietly(() => after(this, args, result, at, ms));
      return result;
    };
  });
}

/**
 * The promise, with `see` called on its value first. A derived promise, not a second handler: so a rejection that the
 * game leaves unhandled stays unhandled.
 */
export function watch(promise: unknown, see: (value: unknown) => void): unknown {
  if (!(promise instanceof Promise)) return promise;
  return promise.then((value: unknown) => {
    quietly(() => see(value));
    return value;
  });
}
