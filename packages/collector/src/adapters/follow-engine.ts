// Shared by the adapters: reads an engine's objects without its types, and observes its methods.

import type { Method } from '../hooks/patch.ts';
import { apply, replaceMethod } from '../hooks/patch.ts';
import { asset } from '../recording/functions.ts';
import { quietly } from '../sink/sink.ts';

/** The value of a key; undefined if it is missing or `object` is not an object. */
export function field(object: unknown, key: string): unknown {
  const holds = (typeof object === 'object' && object !== null) || typeof object === 'function';
  return holds ? Reflect.get(object, key) : undefined;
}

/** The object at a path of keys; null if one is missing. */
export function objectAt(object: unknown, ...keys: readonly string[]): object | null {
  let at = object;
  for (const key of keys) at = field(at, key);
  return (typeof at === 'object' && at !== null) || typeof at === 'function' ? at : null;
}

/** Records that an object came from a URL. Does nothing if `object` is not an object or `url` not a string. */
export function cameFrom(object: unknown, url: unknown): void {
  if (typeof object === 'object' && object !== null && typeof url === 'string' && url !== '') {
    asset(object, { url });
  }
}

/** Calls `see` before each call of a method. It may change the arguments. Returns a function that stops it. */
export function seeCalls(
  owner: object | null,
  name: string,
  see: (self: unknown, args: unknown[]) => void,
): () => void {
  const undo = replaceMethod(owner, name, (original: Method) => {
    return function (this: unknown, ...args: never[]) {
      const list: unknown[] = [...args];
      quietly(() => see(this, list));
      return apply(original, this, list);
    };
  });
  return () => undo?.();
}
