// The order of versions (https://semver.org/spec/v2.0.0.html#spec-item-11).

/** `1.2.3`, perhaps with `-beta.1`, and with `+build`, which has no order. */
export const VERSION_PATTERN: RegExp =
  /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?(?:\+[\dA-Za-z.-]+)?$/;

/** Whether `version` comes after `other`. */
export function isNewer(version: string, other: string): boolean {
  return compareVersions(version, other) > 0;
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A version without such words comes after those with them.
  if (a.words.length === 0 || b.words.length === 0) return b.words.length - a.words.length;
  for (const [index, word] of a.words.entries()) {
    const next = b.words[index];
    if (next === undefined) return 1;
    const difference = compareWords(word, next);
    if (difference !== 0) return difference;
  }
  return a.words.length - b.words.length;
}

function partsOf(version: string): {
  readonly numbers: readonly number[];
  readonly words: readonly string[];
} {
  const [release = ''] = version.split('+');
  const at = release.indexOf('-');
  const numbers = (at === -1 ? release : release.slice(0, at)).split('.').map(Number);
  return { numbers, words: at === -1 ? [] : release.slice(at + 1).split('.') };
}

/** Numbers come before other words, and are compared as numbers. */
function compareWords(one: string, other: string): number {
  const [a, b] = [one, other].map((word) => /^\d+$/.test(word));
  if (a && b) return one.length - other.length || (one < other ? -1 : Number(one > other));
  if (a !== b) return a ? -1 : 1;
  return one < other ? -1 : Number(one > other);
}
