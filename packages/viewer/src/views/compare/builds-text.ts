// States whether the compared traces are of the same build of the game. Pure.
import { compareBuilds, shortDigests } from '@svc/trace';

/** The digests are those of the traces. Null if a trace does not name its build. */
export function buildsText(before: string | null, after: string | null): string {
  if (before === null || after === null) return 'unknown';
  const [was, is] = shortDigests(before, after);
  return compareBuilds(before, after) === 'same'
    ? `the same, ${is}`
    : `different: ${was} before, ${is} after`;
}
