// Judges a build: reads it, and compares it with the live release.
import type {
  BuildFinding,
  PlatformLimits,
  PublishFields,
  ReleaseDiff,
} from '@svc/contracts/platform';
import {
  type Archive,
  type Build,
  BuildError,
  type BuildFacts,
  type BuildLimits,
  type ExtractedBuild,
  hasContentHash,
  readArchive,
} from '@svc/game-build';
import type { Db, GamesTable, ReleasesTable, Trx } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { readLiveManifest } from '../storage/manifests.ts';
import { diffReleases } from './diff-releases.ts';
import { findAddress } from './find-address.ts';

/** A valid build, with the row of its release, the changes to the live release, and warnings. */
export type JudgedRelease = {
  readonly release: ReleasesTable;
  readonly build: Build;
  /** What was found in its files. */
  readonly facts: BuildFacts;
  readonly diff: ReleaseDiff;
  readonly findings: BuildFinding[];
};

/** What a release becomes of a build. */
export type Judging = {
  readonly fields: PublishFields;
  /** The id of the release. */
  readonly releaseId: string;
  /** Whether the ZIP is stored, or made of the contents when it is downloaded. */
  readonly isZipStored: boolean;
  /** Whether players do not get it. */
  readonly isStaged: boolean;
  /** Where it was built, as in the database. */
  readonly provenance: string | null;
  /** Reads the build. Throws a `BuildError` if it is not safe. */
  readonly read: () => Promise<ExtractedBuild>;
};

/** Reads a build and judges it. Throws one of the `zip_…` codes for an unsafe build. */
export async function judgeBuild(
  platform: Platform,
  game: GamesTable,
  judging: Judging,
): Promise<JudgedRelease> {
  try {
    return await describeRelease(platform, game, judging, await judging.read());
  } catch (error) {
    if (error instanceof BuildError) throw refusalOf(error);
    throw error;
  }
}

/** Opens an uploaded ZIP and unpacks it. Throws a `BuildError` for an unsafe build. */
export async function readZip(
  { limits }: Platform,
  path: string,
  extract: (archive: Archive) => Promise<ExtractedBuild>,
): Promise<ExtractedBuild> {
  await using archive = await readArchive(path, buildLimits(limits));
  return await extract(archive);
}

/** The limits of a build on this server. */
export function buildLimits(limits: PlatformLimits): BuildLimits {
  return {
    zip_bytes: limits.build_zip_bytes,
    expanded_bytes: limits.build_expanded_bytes,
    file_bytes: limits.build_file_bytes,
    files: limits.build_files,
    path_bytes: limits.build_path_bytes,
    path_levels: limits.build_path_levels,
  };
}

async function describeRelease(
  platform: Platform,
  game: GamesTable,
  { fields, releaseId, isZipStored, isStaged, provenance }: Judging,
  { build, facts }: ExtractedBuild,
): Promise<JudgedRelease> {
  const before = await readLiveManifest(platform.db, game.live_release_id);
  const diff = diffReleases(
    before,
    build.files.map(({ path, sha256: hash }) => ({ path, hash })),
  );
  const release: ReleasesTable = {
    id: releaseId,
    game_id: game.id,
    version: fields.version,
    notes: fields.notes === undefined || fields.notes === '' ? null : fields.notes,
    created_at: await nextCreationTime(platform, game.id),
    zip_bytes: build.zip_bytes,
    expanded_bytes: build.expanded_bytes,
    file_count: build.file_count,
    digest: build.digest,
    isolation: build.isolation,
    deleted_at: null,
    place: releaseId,
    zip_stored: isZipStored ? 1 : 0,
    staged: isStaged ? 1 : 0,
    replaced_at: null,
    playable: 0,
    address: findAddress(build.files),
    provenance,
    manifest_id: releaseId,
    taken_down_at: null,
    taken_down_reason: null,
  };
  const findings = [...buildFindings(build), ...staleNames(diff)];
  return { release, build, facts, diff, findings };
}

/** Returns the time now, but later than all releases of the project. The clocks of other servers may be ahead. */
export async function nextCreationTime(
  { db, now }: { readonly db: Db | Trx; readonly now: () => number },
  gameId: string,
): Promise<number> {
  const { last } = await db
    .selectFrom('releases')
    .select((eb) => eb.fn.max('created_at').as('last'))
    .where('game_id', '=', gameId)
    .executeTakeFirstOrThrow();
  return Math.max(now(), Number(last ?? 0) + 1);
}

function buildFindings(build: Build): BuildFinding[] {
  return build.warnings.map(({ code, rule, entry, message, hint }) => ({
    code,
    rule,
    entry,
    message,
    hint,
  }));
}

/** Warns about names with a content hash whose content changed: browsers keep the old content. */
function staleNames(diff: ReleaseDiff): BuildFinding[] {
  return diff.changed.filter(hasContentHash).map((path) => ({
    code: 'hashed_name_changed',
    rule: 'hashed_name_changed',
    entry: path,
    message: 'The name contains a content hash, but the content has changed under the same name',
    hint: 'Players who have the old file keep it for up to a year. Configure the build tool to change the name with the content',
  }));
}

/** Converts the findings about a build to the error of the contract. */
export function refusalOf(error: BuildError): Error {
  const { code } = error;
  const details = error.findings.map(({ entry, rule, message, hint }) => ({
    ...(entry === null ? {} : { entry }),
    rule,
    message,
    ...(hint === null ? {} : { hint }),
  }));
  switch (code) {
    case 'secret_refused':
    case 'link_outside':
    case 'file_changed':
    case 'folder_unreadable':
      return error;
    default:
      return failure(code, `Cannot publish the build: ${error.message}`, { details });
  }
}
