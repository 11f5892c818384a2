// Whether two traces are of the same build of the game, by the digests in their headers.

/** `unknown`: one of the traces does not name its build. */
export type BuildMatch = 'same' | 'different' | 'unknown';

/** Digests are those of the header's `build`. Null if the header has none. */
export function compareBuilds(before: string | null, after: string | null): BuildMatch {
  if (before === null || after === null) return 'unknown';
  return before === after ? 'same' : 'different';
}

const SHORT = 12;
const LONG = 64;

/** The first 12 characters of each digest, without the name of the algorithm. The first 64 if two digests begin alike. */
export function shortDigests(before: string, after: string): readonly [string, string] {
  const [was, is] = [bare(before), bare(after)];
  const isAlike = before !== after && was.slice(0, SHORT) === is.slice(0, SHORT);
  const length = isAlike ? LONG : SHORT;
  return [was.slice(0, length), is.slice(0, length)];
}

function bare(digest: string): string {
  return digest.replace(/^sha256:/, '');
}
