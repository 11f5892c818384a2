// The builds of the two traces that `svc trace blame` compares.
import type { Build } from '@svc/game-build';
import { shortDigests } from '@svc/trace';
import type { Documents } from '../../documents.ts';
import { safeLine } from '../../output/text.ts';
import type { Io } from '../../process/io.ts';
import { prepareBuild } from '../../project/prepare-build.ts';
import { readProjectFile } from '../../project/project-file.ts';

export type Builds = { readonly before: Build; readonly after: Build };

type Blame = Documents['trace-blame'];

/**
 * Reads a build with the files that `svc record` serves, so that both have the same digest. Keys in the build are no reason to
 * reject it here, because nothing is published. Throws an ExitError (7 or 8).
 */
export async function readBuild(path: string, io: Io, signal: AbortSignal): Promise<Build> {
  using prepared = await prepareBuild({
    cwd: io.cwd,
    named: path,
    project: readProjectFile(io.cwd),
    allowSecrets: true,
    limits: {},
    signal,
  });
  return prepared.build;
}

export function describeBuilds({ before, after }: Builds): Blame['builds'] {
  const old = new Map(before.files.map(({ path, sha256 }) => [path, sha256]));
  const now = new Map(after.files.map(({ path, sha256 }) => [path, sha256]));
  return {
    digest_before: before.digest,
    digest_after: after.digest,
    bytes_before: before.expanded_bytes,
    bytes_after: after.expanded_bytes,
    new: after.files.filter(({ path }) => !old.has(path)).length,
    changed: after.files.filter(({ path, sha256 }) => old.has(path) && old.get(path) !== sha256)
      .length,
    gone: before.files.filter(({ path }) => !now.has(path)).length,
  };
}

/** A warning for each build that differs from the one that its trace names. */
export function explainUnrecorded({ before, after, builds }: Blame): string[] {
  if (builds === null) return [];
  return [
    ...explain('--build-old', builds.digest_before, before),
    ...explain('--build-new', builds.digest_after, after),
  ];
}

function explain(
  option: string,
  digest: string,
  { path, build_digest }: Blame['before'],
): string[] {
  if (build_digest === null || build_digest === digest) return [];
  const [recorded, named] = shortDigests(build_digest, digest).map(safeLine);
  return [
    `"${path}" was recorded with another build (${recorded}) than the one of ${option} (${named}). Contents and sizes of files are those of a build that was not recorded. Name the recorded build with ${option}.`,
  ];
}
