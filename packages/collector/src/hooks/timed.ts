// Replaces a method by one that measures how long the call kept the main thread.
import { now } from '../sink/clock.ts';
import { quietly, type Sink } from '../sink/sink.ts';
import { apply, replaceMethod } from './patch.ts';

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
      if (!sink.on) return apply(original, this, args);
      const at = now();
      const result = apply(original, this, args);
      const ms = now() - at;
      if (typeof this === 'object' && this !== null)
        quietly(() => after(this, args, result, at, ms));
      return result;
    };
  });
}

/** Told once the promise of a call is kept: what it was called on, arguments, value, when, and how long the call itself took. */
export type Kept = (
  self: unknown,
  args: readonly unknown[],
  value: unknown,
  at: number,
  called: number,
) => void;

/** As {@link timeMethod}, for a method that promises. */
export function timePromise(
  sink: Sink,
  owner: object | undefined,
  name: string,
  kept: Kept,
): (() => void) | null {
  return replaceMethod(owner, name, (original) => {
    return function (this: unknown, ...args: never[]) {
      const at = now();
      const promise = apply(original, this, args);
      const called = now() - at;
      return sink.on ? watch(promise, (value) => kept(this, args, value, at, called)) : promise;
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
