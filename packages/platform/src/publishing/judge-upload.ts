// Judges an upload: unpacks the build, and compares it with the live release.
import type { BuildFinding, ReleaseDiff } from '@svc/contracts/platform';
import { type Build, BuildError, hasContentHash, readArchive } from '@svc/game-build';
import { newId } from '../database/new-id.ts';
import type { GamesTable, ReleasesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { diffReleases } from './diff-releases.ts';
import type { Upload } from './read-upload.ts';

/** A valid build, with the row of its release, the changes to the live release, and warnings. */
export type JudgedRelease = {
  readonly release: ReleasesTable;
  readonly build: Build;
  readonly diff: ReleaseDiff;
  readonly findings: BuildFinding[];
};

/** Unpacks the entries of an archive. */
type Extract = (archive: Awaited<ReturnType<typeof readArchive>>) => Promise<Build>;

/** Judges the build of an upload. Throws one of the `zip_…` codes for an unsafe build. */
export async function judgeUpload(
  platform: Platform,
  game: GamesTable,
  upload: Upload,
  extract: Extract,
): Promise<JudgedRelease> {
  const { limits } = platform;
  try {
    await using archive = await readArchive(upload.build.path, {
      zip_bytes: limits.build_zip_bytes,
      expanded_bytes: limits.build_expanded_bytes,
      file_bytes: limits.build_file_bytes,
      files: limits.build_files,
      path_bytes: limits.build_path_bytes,
      path_levels: limits.build_path_levels,
    });
    const build = await extract(archive);
    return await describeRelease(platform, game, upload, build);
  } catch (error) {
    if (error instanceof BuildError) throw refusalOf(error);
    throw error;
  }
}

async function describeRelease(
  platform: Platform,
  game: GamesTable,
  upload: Upload,
  build: Build,
): Promise<JudgedRelease> {
  const before = await platform.db
    .selectFrom('release_files')
    .select(['path', 'hash'])
    .where('release_id', '=', game.live_release_id ?? '')
    .execute();
  const diff = diffReleases(
    before,
    build.files.map(({ path, sha256: hash }) => ({ path, hash })),
  );
  const release: ReleasesTable = {
    id: newId(),
    game_id: game.id,
    version: upload.version,
    notes: upload.notes === undefined || upload.notes === '' ? null : upload.notes,
    created_at: platform.now(),
    zip_bytes: build.zip_bytes,
    expanded_bytes: build.expanded_bytes,
    file_count: build.file_count,
    digest: build.digest,
    isolation: build.isolation,
    deleted_at: null,
  };
  return { release, build, diff, findings: [...buildFindings(build), ...staleNames(diff)] };
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

function refusalOf(error: BuildError): Error {
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
