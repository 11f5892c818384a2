// Publishes a build: claim, upload, judge, unpack and keep, then one transaction that players see whole or not at all.
import { explainInput, FORM } from '@svc/contracts/faults';
import {
  type BuildFinding,
  type Game,
  type PlatformLimits,
  type PublishFields,
  type Release,
  type ReleaseDiff,
  requestSchemas,
} from '@svc/contracts/platform';
import {
  type Build,
  BuildError,
  extractEntries,
  hasContentHash,
  readArchive,
} from '@svc/game-build';
import type { FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import type { Caller } from '../access/caller.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, ReleasesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { buildKey, syncFile } from '../files/file-store.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { checkTexts } from '../http/check-texts.ts';
import { type PartRule, readParts, type SpooledFile } from '../http/read-parts.ts';
import type { Platform } from '../platform.ts';
import { gameRecord, releaseRecord } from '../projects/game-records.ts';
import { claimForPublish } from '../storage/claim-game.ts';
import { collectUnused } from '../storage/collect-unused.ts';
import { checkStoredBytes, storedBytes } from '../storage/stored-bytes.ts';
import { commitRelease } from './commit-release.ts';
import { diffReleases } from './diff-releases.ts';
import { type Content, keepContents } from './keep-contents.ts';

const BYTES_PER_CHARACTER = 4;

type Upload = PublishFields & { readonly build: SpooledFile };

/** A build that was judged, and what it would change. */
export type JudgedRelease = {
  readonly release: ReleasesTable;
  readonly build: Build;
  readonly diff: ReleaseDiff;
  readonly findings: BuildFinding[];
};

/** Publishes the upload of the request. */
export async function publishRelease(
  platform: Platform,
  caller: Caller,
  game: GamesTable,
  request: FastifyRequest,
): Promise<{ game: Game; release: Release; diff: ReleaseDiff; findings: BuildFinding[] }> {
  await using claim = await claimForPublish(platform, game.id);
  if (claim.tookOver) await collectUnused(platform, game.id);
  await using folder = await platform.spool.openFolder();
  const upload = await readUpload(platform, game, request, folder);
  const { judged, changed } = await keepRelease(platform, caller, game, request, upload, folder);
  return {
    game: await gameRecord(platform, changed, 'owner'),
    release: releaseRecord(judged.release, changed),
    diff: judged.diff,
    findings: judged.findings,
  };
}

/** Judges, keeps and commits. What fails after that must not take the files back: players have them. */
async function keepRelease(
  platform: Platform,
  caller: Caller,
  game: GamesTable,
  request: FastifyRequest,
  upload: Upload,
  folder: SpoolFolder,
): Promise<{ judged: JudgedRelease; changed: GamesTable }> {
  const batch = platform.files.startBatch();
  try {
    const known = await knownContents(platform, game.id);
    // The archive goes to disk while it is unpacked.
    const synced = syncFile(upload.build.path).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const keeper = keepContents(game.id, folder, batch, known);
    const judged = await judge(platform, game, upload, (archive) =>
      extractEntries(archive, keeper.sink, { signal: request.cut }),
    );
    const brought = [...keeper.brought.values()];
    await checkQuota(platform, judged.release, brought);
    const unsynced = await synced;
    if (unsynced !== null) throw unsynced.error;
    await batch.put(buildKey(game.id, judged.release.id), upload.build.path);
    await batch.settle();
    const changed = await commitRelease(platform, caller, game.id, judged, brought);
    return { judged, changed };
  } catch (error) {
    await batch.undo();
    throw error;
  }
}

/** Judges the upload of the request as a publish would, and keeps nothing. */
export async function dryRunRelease(
  platform: Platform,
  game: GamesTable,
  request: FastifyRequest,
): Promise<JudgedRelease> {
  await using folder = await platform.spool.openFolder();
  const upload = await readUpload(platform, game, request, folder);
  const judged = await judge(platform, game, upload, (archive) =>
    extractEntries(archive, null, { signal: request.cut }),
  );
  const known = await knownContents(platform, game.id);
  const brought = judged.build.files
    .filter((file) => !known.has(file.sha256))
    .map((file) => ({ hash: file.sha256, bytes: file.bytes, gzip_bytes: null, br_bytes: null }));
  await checkQuota(platform, judged.release, brought);
  return judged;
}

async function readUpload(
  platform: Platform,
  game: GamesTable,
  request: FastifyRequest,
  folder: SpoolFolder,
): Promise<Upload> {
  const { limits } = platform;
  const text = (characters: number): PartRule => ({
    kind: 'text',
    bytes: characters * BYTES_PER_CHARACTER,
    characters,
    times: 1,
  });
  const rules: Record<string, PartRule> = {
    version: text(limits.version_characters),
    notes: text(limits.notes_characters),
    build: { kind: 'file', bytes: limits.build_zip_bytes, times: 1 },
  };
  // A version that can't be is refused as soon as it is known: best before the build has come.
  const { texts, files } = await readParts(
    request,
    folder,
    rules,
    limits.upload_silence_seconds,
    async (name, value) => {
      if (name === 'version') await checkVersion(platform, game, value);
      if (name === 'notes') checkNotes(limits, value);
    },
  );
  const version = texts.get('version');
  const build = files.get('build')?.[0];
  if (version === undefined) throw missingPart('version');
  if (build === undefined) throw missingPart('build');
  const fields: PublishFields = {
    version,
    ...(texts.has('notes') ? { notes: texts.get('notes') ?? '' } : {}),
  };
  checkFields(limits, fields);
  return { ...fields, build };
}

function missingPart(name: string) {
  const message = `The ${name} is missing. Add the part "${name}"`;
  return failure('invalid_input', message, { details: [{ path: name, message }] });
}

/** Throws `invalid_input` for a text part that is not as the contract says. */
function checkFields(limits: PlatformLimits, fields: PublishFields): void {
  const schema = requestSchemas(limits).PublishFields;
  if (Value.Check(schema, fields)) return;
  const faults = explainInput(schema, fields, FORM, Value.Errors(schema, fields)[0]?.instancePath);
  throw failure('invalid_input', faults[0].message, {
    details: faults.map(({ path, message }) => ({ path: path.slice(1), message })),
  });
}

function checkNotes(limits: PlatformLimits, notes: string): void {
  // The version may come later, and is checked by itself.
  checkFields(limits, { version: '1', notes });
  checkTexts({ notes }, (field) => field);
}

async function checkVersion(platform: Platform, game: GamesTable, version: string): Promise<void> {
  checkFields(platform.limits, { version });
  const used = await platform.db
    .selectFrom('releases')
    .select('id')
    .where('game_id', '=', game.id)
    .where('version', '=', version)
    .executeTakeFirst();
  if (used !== undefined) {
    const message = `The version "${version}" was used before. Choose another`;
    throw failure('version_exists', message, { details: [{ path: 'version', message }] });
  }
}

async function judge(
  platform: Platform,
  game: GamesTable,
  upload: Upload,
  extract: (archive: Awaited<ReturnType<typeof readArchive>>) => Promise<Build>,
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

/** Names that say they hold a hash of their content, with other content than before: browsers keep the old one. */
function staleNames(diff: ReleaseDiff): BuildFinding[] {
  return diff.changed.filter(hasContentHash).map((path) => ({
    code: 'hashed_name_changed',
    rule: 'hashed_name_changed',
    entry: path,
    message: 'The name holds a content hash, and the content is another one under the same name',
    hint: 'Players who have the old one keep it for up to a year: let the build tool name it anew',
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

async function knownContents(platform: Platform, gameId: string): Promise<ReadonlySet<string>> {
  const contents = await platform.db
    .selectFrom('contents')
    .select('hash')
    .where('game_id', '=', gameId)
    .execute();
  return new Set(contents.map((content) => content.hash));
}

async function checkQuota(
  platform: Platform,
  release: ReleasesTable,
  brought: readonly Content[],
): Promise<void> {
  const before = await storedBytes(platform.db, release.game_id);
  const stored = brought.reduce(
    (sum, { bytes, gzip_bytes, br_bytes }) => sum + bytes + (gzip_bytes ?? 0) + (br_bytes ?? 0),
    before + release.zip_bytes,
  );
  checkStoredBytes(platform, stored, 'Delete old releases');
}
