// Begins or continues an upload in parts: judges the list of files, and finds the contents that the project lacks.
import type { OpenUpload, Upload } from '@svc/contracts/platform';
import { BuildError, entryFinding, judgeListing, type Listing } from '@svc/game-build';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import { databaseNow } from '../database/database-clock.ts';
import { newId } from '../database/new-id.ts';
import type { Db, GamesTable, Trx, UploadsTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import { buildLimits, refusalOf } from '../publishing/judge-build.ts';
import { checkVersion } from '../publishing/read-upload.ts';
import { type ContentFinder, contentFinder } from '../publishing/store-release.ts';
import type { RequestCount } from '../rates/count-request.ts';
import { checkStoredBytes } from '../storage/stored-bytes.ts';
import { touchUpload, uploadRecord } from './find-upload.ts';
import {
  bytesToSend,
  decodePlan,
  digestList,
  encodePlan,
  type SentContent,
  type UploadPlan,
} from './upload-plan.ts';

/** The caller's upload of a build of one game. */
type UploadRequest = {
  readonly caller: Caller;
  readonly game: GamesTable;
  readonly body: OpenUpload;
  /** Counts the upload if it is a new one. */
  readonly count: RequestCount;
};

/**
 * Begins an upload, or continues that of the same list of files. Throws `version_exists`, `quota_exceeded`, `rate_limited`, the
 * codes of unsafe builds that the list shows, and the errors of `lockOwnGame`.
 */
export async function openUpload(
  platform: Platform,
  { caller, game, body, count }: UploadRequest,
): Promise<Upload> {
  const { files, version } = body;
  if (version !== undefined) await checkVersion(platform, game, version);
  const listing = judgeList(platform, files);
  const find = await contentFinder(platform, game.id);
  const missing = await findMissing(listing, find);
  const digest = digestList(files);
  const wanted = { game, digest, missing };
  const { row, plan } =
    (await continueUpload(platform, platform.db, wanted)) ??
    (await count.daily('uploads', () => insertUpload(platform, caller, wanted, files)));
  return uploadRecord(platform, row, plan);
}

function judgeList({ limits }: Platform, files: OpenUpload['files']): Listing {
  try {
    return judgeListing(files, buildLimits(limits));
  } catch (error) {
    if (error instanceof BuildError) throw refusalOf(error);
    throw error;
  }
}

/** Returns the contents that the project lacks, in the order of their first files. */
async function findMissing({ entries }: Listing, find: ContentFinder): Promise<SentContent[]> {
  const seen = new Map<string, number>();
  const missing: SentContent[] = [];
  for (const { name, dropped, sha256, bytes } of entries) {
    if (dropped || sha256 === null) continue;
    const known = seen.get(sha256);
    if (known === bytes) continue;
    const stored = known === undefined ? await find(sha256) : null;
    const other = known ?? stored?.bytes ?? bytes;
    if (other !== bytes) throw refusalOf(otherSize(name, bytes, other));
    seen.set(sha256, bytes);
    if (stored === null) missing.push({ sha256, bytes });
  }
  return missing;
}

function otherSize(name: string, bytes: number, other: number): BuildError {
  const what = `has ${bytes} bytes in the list; another file with the same SHA-256 has ${other}.`;
  const fault = { code: 'zip_size_mismatch', rule: 'size', what } as const;
  return new BuildError([entryFinding(name, fault)]);
}

type Wanted = {
  readonly game: GamesTable;
  readonly digest: string;
  readonly missing: readonly SentContent[];
};

type Opened = { readonly row: UploadsTable; readonly plan: UploadPlan };

/** Continues the upload of this list. Null if there is none, or if the project has lost contents since it began. */
async function continueUpload(
  platform: Platform,
  db: Db | Trx,
  { game, digest, missing }: Wanted,
): Promise<Opened | null> {
  const known = await db
    .selectFrom('uploads')
    .select(['id', 'listing'])
    .where('game_id', '=', game.id)
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (known === undefined) return null;
  const plan = await decodePlan(known.listing);
  const sent = new Set(plan.missing.map(({ sha256 }) => sha256));
  if (!missing.every(({ sha256 }) => sent.has(sha256))) {
    await db.deleteFrom('uploads').where('id', '=', known.id).execute();
    return null;
  }
  const row = await touchUpload(platform, db, known.id);
  return row === undefined ? null : { row, plan };
}

async function insertUpload(
  platform: Platform,
  caller: Caller,
  { game, digest, missing }: Wanted,
  files: OpenUpload['files'],
): Promise<Opened> {
  const { db, database, limits } = platform;
  const id = newId();
  const plan = { files, missing };
  const listing = await encodePlan(plan);
  const now = databaseNow(database.engine);
  return db.transaction().execute(async (trx) => {
    await lockOwnGame(platform, trx, caller, game.id);
    // Another request may have opened an upload of the same list.
    const open = await continueUpload(platform, trx, { game, digest, missing });
    if (open !== null) return open;
    await makeRoom(trx, game.id, limits.uploads_per_project - 1);
    await trx
      .insertInto('attempts')
      .values({ id, game_id: game.id, kind: 'upload', state: 'receiving', beat_at: now })
      .execute();
    const row = await trx
      .insertInto('uploads')
      .values({
        ...{ id, game_id: game.id, digest, listing, bytes: bytesToSend(plan) },
        ...{ part_bytes: limits.upload_part_bytes, created_at: now, touched_at: now },
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const use = { gameId: game.id, addedBytes: 0, hint: 'Delete old releases' };
    await checkStoredBytes(platform, trx, use);
    return { row, plan };
  });
}

/** Gives up the uploads of the project that have been idle longest, except the given number. */
async function makeRoom(trx: Trx, gameId: string, kept: number): Promise<void> {
  const open = await trx
    .selectFrom('uploads')
    .select('id')
    .where('game_id', '=', gameId)
    .orderBy('touched_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const idle = open.slice(kept).map(({ id }) => id);
  if (idle.length > 0) await trx.deleteFrom('uploads').where('id', 'in', idle).execute();
}
