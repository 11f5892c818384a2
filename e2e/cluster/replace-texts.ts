// Adapts a configuration of the guide to this machine.

/**
 * Replaces each first text by the second one, everywhere. Throws if a text is not in the configuration, so that the guide and
 * the test stay the same.
 */
export function replaceTexts(
  name: string,
  text: string,
  pairs: readonly (readonly [from: string, to: string])[],
): string {
  return pairs.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`${name} does not contain "${from}"`);
    return now.replaceAll(from, to);
  }, text);
}
