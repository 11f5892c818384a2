// Compares a build with the previous release.

import type { ReleaseDiff } from '@svc/contracts/platform';
import { comparePaths } from '@svc/game-build';

/** Path and content hash of a file of a release. */
type ManifestFile = { readonly path: string; readonly hash: string };

/** Compares two manifests by path and content. Each list is sorted by the bytes of the paths. */
export function diffReleases(
  before: readonly ManifestFile[],
  after: readonly ManifestFile[],
): ReleaseDiff {
  const old = new Map(before.map((file) => [file.path, file.hash]));
  const diff: ReleaseDiff = { new: [], changed: [], same: [], gone: [] };
  for (const { path, hash } of after) {
    const was = old.get(path);
    old.delete(path);
    diff[was === undefined ? 'new' : was === hash ? 'same' : 'changed'].push(path);
  }
  diff.gone.push(...old.keys());
  for (const list of Object.values(diff)) list.sort(comparePaths);
  return diff;
}
