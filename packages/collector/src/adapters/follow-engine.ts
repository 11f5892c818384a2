// What the adapters share: looking into an engine's objects without its types, and replacing its methods quietly.

import type { Method } from '../hooks/patch.ts';
import { apply, replaceMethod } from '../hooks/patch.ts';
import { asset } from '../recording/functions.ts';
import { quietly } from '../sink/sink.ts';

/** The value of a key; undefined where there is none, or no object. */
export function field(object: unknown, key: string): unknown {
  const holds = (typeof object === 'object' && object !== null) || typeof object === 'function';
  return holds ? Reflect.get(object, key) : undefined;
}

/** The object behind a chain of keys; null where one is missing. */
export function objectAt(object: unknown, ...keys: readonly string[]): object | null {
  let at = object;
  for (const key of keys) at = field(at, key);
  return (typeof at === 'object' && at !== null) || typeof at === 'function' ? at : null;
}

/** Says that the object came from the URL. Anything that is no object is passed over. */
export function cameFrom(object: unknown, url: unknown): void {
  if (typeof object === 'object' && object !== null && typeof url === 'string' && url !== '') {
    asset(object, { url });
  }
}

/** Lets `see` look at the calls of a method, before the method runs, and change its arguments. */
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
