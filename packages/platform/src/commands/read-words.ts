// The arguments of a command that are not options.

/** Returns the arguments by their names, of which the first `required` must be given. Throws if there are more. */
export function readWords(
  command: string,
  names: readonly string[],
  words: readonly string[],
  required = names.length,
): readonly string[] {
  const missing = names[words.length];
  if (missing !== undefined && words.length < required) {
    throw new Error(`Cannot run "svc-platform ${command}": ${missing} is missing`);
  }
  const extra = words[names.length];
  if (extra === undefined) return words;
  throw new Error(`Cannot run "svc-platform ${command}": "${extra}" is one argument too many`);
}
