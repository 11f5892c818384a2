// The differences between a build and the live release.
import type { ReleaseDiff } from '@svc/contracts/platform';
import type { BuildDescription } from '@svc/game-build';
import { bytesText } from '@svc/trace/number-text';
import { formatCount, safeText } from '../../output/text.ts';

/** The paths in each list are sorted. `bytes` is the total size of new and changed files in this build. */
export type SizedDiff = ReleaseDiff & { readonly bytes: number };

/** The number of paths shown in each list. */
const SHOWN = 8;

/** Adds the number of bytes that players have to download again. */
export function sizeDiff(diff: ReleaseDiff, build: BuildDescription): SizedDiff {
  const sizes = new Map(build.files.map((file) => [file.path, file.bytes]));
  const bytes = [...diff.new, ...diff.changed].reduce(
    (sum, path) => sum + (sizes.get(path) ?? 0),
    0,
  );
  return { ...diff, bytes };
}

/** The difference to an empty release: every file is new. */
export function localDiff(build: BuildDescription): ReleaseDiff {
  return { new: build.files.map((file) => file.path), changed: [], same: [], gone: [] };
}

export function formatDiff(diff: SizedDiff): string[] {
  const counts = (['new', 'changed', 'same', 'gone'] as const)
    .filter((kind) => diff[kind].length > 0)
    .map((kind) => `${formatCount(diff[kind].length)} ${kind}`);
  return [
    `${counts.join(', ')}; ${bytesText(diff.bytes)} for players to download`,
    ...formatPaths('+', diff.new),
    ...formatPaths('~', diff.changed),
    ...formatPaths('-', diff.gone),
  ];
}

function formatPaths(sign: string, paths: readonly string[]): string[] {
  const lines = paths.slice(0, SHOWN).map((path) => `  ${sign} ${safeText(path)}`);
  const rest = paths.length - lines.length;
  return rest > 0 ? [...lines, `  ${sign} … and ${formatCount(rest)} more`] : lines;
}
