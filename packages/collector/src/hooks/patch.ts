// Replaces a method of the browser by one that also tells us, and puts it back. The replacement keeps name, length and
// what toString shows, so that a game that looks does not take another path.

/** Any function, before its arguments are known. */
export type Method = (this: unknown, ...args: never[]) => unknown;

/** As it is before the game can replace it. */
export const { apply } = Reflect;

const define = Object.defineProperty;
const describe = Object.getOwnPropertyDescriptor;

/**
 * Puts `make(original)` in the place of `owner[name]` and returns how to undo it; null where there is nothing to
 * replace, or where the owner is frozen. Undoing leaves a replacement alone that someone else has wrapped since.
 */
export function replaceMethod(
  owner: object | undefined | null,
  name: string,
  make: (original: Method) => Method,
): (() => void) | null {
  if (!owner) return null;
  const before = describe(owner, name);
  const original: unknown = before?.value;
  if (!before?.configurable || !isMethod(original)) return null;
  const replacement = disguise(make(original), original, name);
  return put(owner, name, before, replacement);
}

/**
 * Lets `see` look at what a class of the browser makes, and at what it was made of; null as {@link replaceMethod}. The class
 * stays what it is for `instanceof`, for classes that extend it and for who reads its members.
 */
export function seeMade(
  owner: object,
  name: string,
  see: (made: object, args: readonly unknown[]) => void,
): (() => void) | null {
  const before = describe(owner, name);
  const original: unknown = before?.value;
  if (!before?.configurable || !isMethod(original)) return null;
  const text = () => String(original);
  const replacement = new Proxy(original, {
    construct(target, args, newTarget) {
      const made: object = Reflect.construct(target, args, newTarget);
      see(made, args);
      return made;
    },
    get: (target, key) => (key === 'toString' ? text : Reflect.get(target, key)),
  });
  return put(owner, name, before, replacement);
}

/** Lets `see` look at what the getter `owner[name]` gives out; null where there is none, or where the owner is frozen. */
export function seeRead(
  owner: object | undefined,
  name: string,
  see: (self: unknown, value: unknown) => void,
): (() => void) | null {
  if (!owner) return null;
  const before = describe(owner, name);
  const original = before?.get;
  if (!before?.configurable || !original) return null;
  const read = function (this: unknown): unknown {
    const value: unknown = apply(original, this, []);
    see(this, value);
    return value;
  };
  const get = disguise(read, original, original.name);
  define(owner, name, { get });
  return () => {
    if (describe(owner, name)?.get === get) define(owner, name, before);
  };
}

/** Calls each undo once, the last one first. */
export function undoAll(undos: readonly ((() => void) | null)[]): void {
  for (const undo of undos.toReversed()) undo?.();
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}

function put(
  owner: object,
  name: string,
  before: PropertyDescriptor,
  replacement: Method,
): () => void {
  define(owner, name, { value: replacement });
  return () => {
    if (describe(owner, name)?.value === replacement) define(owner, name, before);
  };
}

function disguise(replacement: Method, original: Method, name: string): Method {
  define(replacement, 'name', { value: name });
  define(replacement, 'length', { value: original.length });
  define(replacement, 'toString', {
    value: () => String(original),
    configurable: true,
    writable: true,
  });
  return replacement;
}
