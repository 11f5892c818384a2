// Reads a property of any value.

/** The property of an object; undefined if `object` is none. */
export function field(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, key) : undefined;
}
