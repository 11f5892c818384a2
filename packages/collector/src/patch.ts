// Replaces a method of the browser by one that also tells us, and puts it back. The replacement keeps name, length and
// what toString shows, so that a game that looks does not take another path.

/** Any function, before its arguments are known. */
export type Method = (this: unknown, ...args: never[]) => unknown;

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
  if (owner === undefined || owner === null) return null;
  const before = describe(owner, name);
  if (before === undefined || before.configurable !== true) return null;
  const original: unknown = before.value;
  if (!isMethod(original)) return null;
  const replacement = disguise(make(original), original, name);
  define(owner, name, { ...before, value: replacement });
  return () => {
    if (describe(owner, name)?.value === replacement) define(owner, name, before);
  };
}

/** Calls each undo once, the last one first. */
export function undoAll(undos: readonly ((() => void) | null)[]): void {
  for (const undo of undos.toReversed()) undo?.();
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}

function disguise(replacement: Method, original: Method, name: string): Method {
  define(replacement, 'name', { value: name, configurable: true });
  define(replacement, 'length', { value: original.length, configurable: true });
  define(replacement, 'toString', {
    value: () => String(original),
    configurable: true,
    writable: true,
  });
  return replacement;
}
