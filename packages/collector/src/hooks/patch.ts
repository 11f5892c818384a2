// Replaces methods of the browser with observed ones, and restores them. A replacement keeps its name, length and
// toString, so that a game that inspects it does not behave differently.

/** Any function, before its arguments are known. */
export type Method = (this: unknown, ...args: never[]) => unknown;

/** Bound before the game can replace it. */
export const { apply } = Reflect;

const define = Object.defineProperty;
const describe = Object.getOwnPropertyDescriptor;

/**
 * Replaces `owner[name]` with `make(original)` and returns a function that restores it, or null if there is no such method or
 * the owner is frozen. The function does nothing if the method was replaced again since.
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
 * Calls `see` with every new instance of a class of the browser, and the arguments of its constructor. Returns as
 * {@link replaceMethod}. `instanceof`, subclasses and static members work as before.
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

/** Calls `see` with every value that the getter `owner[name]` returns. Returns as {@link replaceMethod}. */
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

/** Calls the functions in reverse order. */
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
