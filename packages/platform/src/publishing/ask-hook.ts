// Asks the operator's hook about a build whose files are stored, before players get it.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readChunks } from '@svc/delivery';
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import type { ManifestFile } from '../database/manifest.ts';
import type { GamesTable, ReleasesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { contentKey } from '../files/keys.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { MissingFileError } from '../files/storage-error.ts';
import { writeStream } from '../files/write-stream.ts';
import { type BuildFacts, HookError, type Verdict } from '../hook/question.ts';
import type { Platform } from '../platform.ts';
import { pageSlug } from '../projects/game-records.ts';
import { contentGone, countReleases } from '../storage/contents.ts';
import { inPhase } from './measure-publish.ts';
import { zipRelease } from './release-zip.ts';

/** A release whose files are stored, but which nobody gets yet. */
type AskedRelease = {
  readonly caller: Caller;
  readonly game: GamesTable;
  readonly release: ReleasesTable;
  readonly files: readonly ManifestFile[];
  /** Number of deleted releases of the project before its contents were read. */
  readonly deletedBefore: number;
};

type Workplace = {
  readonly folder: SpoolFolder;
  /** Aborted when the publish ends. */
  readonly signal: AbortSignal;
};

/**
 * Does nothing without a hook. Throws `build_rejected` if the hook rejects the build, `hook_failed` if it gives no answer, and
 * `change_interrupted` if a file was deleted with another release meanwhile.
 */
export async function askHook(
  platform: Platform,
  asked: AskedRelease,
  { folder, signal }: Workplace,
): Promise<void> {
  const { publishHook } = platform;
  if (publishHook === null) return;
  const { game, files } = asked;
  const question = {
    facts: factsOf(asked),
    newPath: () => folder.newFile(),
    writeFiles: (path: string) => writeFiles(platform, asked, path, signal),
    readZip: () => zipRelease(platform.files, game.id, files),
  };
  const verdict = await inPhase(platform.metrics, 'hook', () =>
    publishHook(question, signal).catch(async (error: unknown) => {
      if (error instanceof HookError) throw hookFailed(platform, asked, error);
      throw (await isDeleted(platform, asked, error)) ? contentGone() : error;
    }),
  );
  if (!verdict.accepted) throw await rejected(platform, asked, verdict);
}

/** Whether a file is missing because a release was deleted while the build waited for its turn. */
async function isDeleted(
  { db }: Platform,
  { game, deletedBefore }: AskedRelease,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof MissingFileError)) return false;
  return (await countReleases(db, game.id)).deleted !== deletedBefore;
}

function factsOf({ caller, game, release }: AskedRelease): BuildFacts {
  const { id, title } = game;
  const { version, staged, file_count: files, expanded_bytes: bytes } = release;
  return {
    game: { id, slug: pageSlug(game), title },
    // Only the owner publishes.
    owner: { id: caller.user.uid, name: caller.user.name },
    release: { version, staged: staged === 1, files, bytes },
  };
}

/** Writes copies of the files, which the server's user can read and remove. */
async function writeFiles(
  { files: store }: Platform,
  { game, files }: AskedRelease,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  for (const file of files) {
    signal.throwIfAborted();
    const path = join(folder, file.path);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const stored = await store.open(contentKey(game.id, file));
    await writeStream(readChunks(stored, 0, stored.bytes), path, () => {}, 0o400);
  }
}

function hookFailed({ log }: Platform, { game, release }: AskedRelease, cause: HookError): Error {
  log.error('the publish hook failed, so a build was not published', {
    error: cause.message,
    game: game.id,
    version: release.version,
  });
  return failure(
    'hook_failed',
    'Cannot publish now: the check of builds on this platform does not work. Nothing was changed. Try again later, or ask the operator of the platform',
    { cause },
  );
}

/** Records the rejection, and returns the error for the developer. */
async function rejected(
  { db, now }: Platform,
  { caller, game, release: { version } }: AskedRelease,
  { reason }: Exclude<Verdict, { readonly accepted: true }>,
): Promise<Error> {
  await db.transaction().execute((trx) =>
    writeAudit(trx, {
      ...{ at: now(), actor: actorOf(caller), action: 'release.rejected', subject: game.id },
      detail: reason === '' ? version : `${version}: ${reason}`,
    }),
  );
  const why = reason === '' ? '' : `: ${reason.replace(/[.!]+$/, '')}`;
  return failure(
    'build_rejected',
    `Cannot publish the build: the check of this platform rejected it${why}. Change the build and publish it again, or ask the operator of the platform`,
  );
}
