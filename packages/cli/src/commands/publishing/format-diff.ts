// The differences of a build to the live release: with sizes for programs, and in few lines for people.
import type { ReleaseDiff } from '@svc/contracts/platform';
import type { Build } from '@svc/game-build';
import { formatBytes, formatCount, safeText } from '../../output/text.ts';

/** Paths in each list are sorted; `bytes` is what new and changed files have in this build. */
export type SizedDiff = ReleaseDiff & { readonly bytes: number };

/** How many paths of a kind are shown to a person. */
const SHOWN = 8;

/** The platform's lists with the bytes that players have to load anew. */
export function sizeDiff(diff: ReleaseDiff, build: Build): SizedDiff {
  const sizes = new Map(build.files.map((file) => [file.path, file.bytes]));
  const bytes = [...diff.new, ...diff.changed].reduce(
    (sum, path) => sum + (sizes.get(path) ?? 0),
    0,
  );
  return { ...diff, bytes };
}

/** Against nothing: everything is new. */
export function localDiff(build: Build): ReleaseDiff {
  return { new: build.files.map((file) => file.path), changed: [], same: [], gone: [] };
}

export function formatDiff(diff: SizedDiff): string[] {
  const counts = (['new', 'changed', 'same', 'gone'] as const)
    .filter((kind) => diff[kind].length > 0)
    .map((kind) => `${formatCount(diff[kind].length)} ${kind}`);
  return [
    `${counts.join(', ')}; ${formatBytes(diff.bytes)} for players to load anew`,
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
