// Reads an upload in parts, and which of them are stored.
import type { Upload } from '@svc/contracts/platform';
import { ApiError } from '@svc/serve';
import { databaseNow } from '../database/database-clock.ts';
import type { Db, Trx, UploadsTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { partKey, placeFolder, readPartKey } from '../files/keys.ts';
import { formatTime } from '../http/format-time.ts';
import type { Platform } from '../platform.ts';
import { bytesOfPart, countParts, type UploadPlan } from './upload-plan.ts';

const HOUR_MS = 3600 * 1000;
const TOUCH_MS = 60 * 1000;

/** Returns the upload of the project. Throws `not_found` if it does not exist any more. */
export async function findUpload(db: Db, gameId: string, id: string): Promise<UploadsTable> {
  const row = await db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', id)
    .where('game_id', '=', gameId)
    .executeTakeFirst();
  if (row === undefined) throw uploadGone();
  return row;
}

/** What a part needs of an upload. */
export type UploadSizes = Pick<UploadsTable, 'id' | 'game_id' | 'bytes' | 'part_bytes'>;

/** As `findUpload`, without the list of files. */
export async function findUploadSizes(db: Db, gameId: string, id: string): Promise<UploadSizes> {
  const row = await db
    .selectFrom('uploads')
    .select(['id', 'game_id', 'bytes', 'part_bytes'])
    .where('id', '=', id)
    .where('game_id', '=', gameId)
    .executeTakeFirst();
  if (row === undefined) throw uploadGone();
  return row;
}

/** Postpones the end of an upload, at most once a minute. Throws `not_found` if it does not exist any more. */
export async function keepUpload(
  { db, database }: Pick<Platform, 'db' | 'database'>,
  id: string,
): Promise<void> {
  const now = databaseNow(database.engine);
  const row = await db
    .selectFrom('uploads')
    .select((eb) => eb('touched_at', '<', eb(now, '-', TOUCH_MS)).as('isOld'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw uploadGone();
  if (!row.isOld) return;
  if ((await touchUpload({ database }, db, id)) === undefined) throw uploadGone();
}

/** Returns whether an upload has ended. False if the database does not answer. */
export async function hasEnded({ db }: Pick<Platform, 'db'>, id: string): Promise<boolean> {
  const row = db.selectFrom('uploads').select('id').where('id', '=', id).executeTakeFirst();
  return await row.then(
    (found) => found === undefined,
    () => false,
  );
}

export function uploadGone(): Error {
  return failure(
    'not_found',
    'Cannot find this upload. It was published or given up, or has expired. Begin a new one',
  );
}

/** Does the work. If it finds parts missing because the upload has ended meanwhile, throws `not_found`. */
export async function whileUploadLasts<Result>(
  platform: Pick<Platform, 'db'>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isIncomplete = error instanceof ApiError && error.code === 'upload_incomplete';
    if (!isIncomplete || !(await hasEnded(platform, id))) throw error;
    throw uploadGone();
  }
}

/** Postpones the end of an upload. Returns its row; undefined if it does not exist any more. */
export async function touchUpload(
  { database }: Pick<Platform, 'database'>,
  db: Db | Trx,
  id: string,
): Promise<UploadsTable | undefined> {
  return await db
    .updateTable('uploads')
    .set({ touched_at: databaseNow(database.engine) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the numbers of the parts that are stored completely, in order. */
export async function receivedParts(
  { files }: Pick<Platform, 'files'>,
  upload: UploadsTable,
): Promise<number[]> {
  const received: number[] = [];
  for await (const { key, bytes } of files.list(placeFolder(upload.game_id, upload.id))) {
    const part = readPartKey(key);
    if (part !== null && bytes === bytesOfPart(upload, part)) received.push(part);
  }
  return received.sort((a, b) => a - b);
}

/** Returns an upload as a record. */
export async function uploadRecord(
  platform: Pick<Platform, 'files' | 'limits'>,
  upload: UploadsTable,
  { missing }: UploadPlan,
): Promise<Upload> {
  const { id, created_at, touched_at, bytes, part_bytes } = upload;
  return {
    id,
    created_at: formatTime(created_at),
    expires_at: formatTime(touched_at + platform.limits.upload_hours * HOUR_MS),
    missing: missing.map(({ sha256 }) => sha256),
    bytes,
    part_bytes,
    part_count: countParts(upload),
    received: await receivedParts(platform, upload),
  };
}

/** The key of a part of an upload. */
export function keyOfPart({ game_id, id }: UploadSizes, part: number): string {
  return partKey(game_id, { place: id, part });
}
