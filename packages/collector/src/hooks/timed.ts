// Replaces methods with ones that measure how long a call blocks the main thread.
import { now } from '../sink/clock.ts';
import { quietly, type Sink } from '../sink/sink.ts';
import { apply, replaceMethod } from './patch.ts';

/** Called after each call that did not throw, with the start and the duration of the call in ms. */
export type After = (
  self: object,
  args: readonly unknown[],
  result: unknown,
  at: number,
  ms: number,
) => void;

/** Times a method while the recording runs. Returns a function that restores it, or null if there is no such method. */
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

/** The start of a call by the page's clock, and the duration of the call itself, without the time until its promise is settled. */
export type Call = { readonly at: number; readonly ms: number };

/** Called when the promise of a call is fulfilled, with its value. */
export type Fulfilled = (
  self: unknown,
  args: readonly unknown[],
  value: unknown,
  call: Call,
) => void;

/** The same as {@link timeMethod} for a method that returns a promise. */
export function timePromise(
  sink: Sink,
  owner: object | undefined,
  name: string,
  fulfilled: Fulfilled,
): (() => void) | null {
  return replaceMethod(owner, name, (original) => {
    return function (this: unknown, ...args: never[]) {
      const at = now();
      const promise = apply(original, this, args);
      const call = { at, ms: now() - at };
      return sink.on ? watch(promise, (value) => fulfilled(this, args, value, call)) : promise;
    };
  });
}

/**
 * A promise with the same result that first calls `see` with its value. It is derived, not a second handler, so that a rejection
 * that the game does not handle stays unhandled.
 */
export function watch(promise: unknown, see: (value: unknown) => void): unknown {
  if (!(promise instanceof Promise)) return promise;
  return promise.then((value: unknown) => {
    quietly(() => see(value));
    return value;
  });
}
