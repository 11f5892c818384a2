// What a caught value says. It has a module of its own, without schemas, so that threads and pages load little.

/** The message of a caught value, or the value as text if it is not an `Error`. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a caught error of Node or the system, such as `ENOENT`. Empty if the value has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
