// Commits a publish in one transaction. Before it players get the old release, after it the new one.
import { setImmediate } from 'node:timers/promises';
import { hasContentHash } from '@svc/game-build';
import { actorOf, writeAudit } from '../access/audit.ts';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import { isUniqueViolation } from '../database/open-database.ts';
import type { GamesTable, ReleaseFilesTable, ReleasesTable, Trx } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { checkStoredBytes, storedBytes } from '../storage/stored-bytes.ts';
import type { JudgedRelease } from './judge-upload.ts';
import type { Content } from './keep-contents.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Rows of one statement. The engines limit the number of bound values. */
const ROWS = 500;

/**
 * Makes the judged release live and returns the changed game. `added` are its contents that the project does not have yet.
 * Throws `version_exists`, `quota_exceeded`, and the errors of `lockOwnGame`.
 */
export async function commitRelease(
  platform: Platform,
  caller: Caller,
  judged: JudgedRelease,
  added: readonly Content[],
): Promise<GamesTable> {
  const { release } = judged;
  const gameId = release.game_id;
  const files = manifestRows(judged);
  try {
    return await platform.db.transaction().execute(async (trx) => {
      const game = await lockOwnGame(platform, trx, caller, gameId);
      await checkReleaseCount(platform, trx, gameId);
      await trx.insertInto('releases').values(release).execute();
      for (const rows of inGroups(added)) {
        await trx
          .insertInto('contents')
          .values(rows.map((content) => ({ game_id: gameId, ...content })))
          .onConflict((conflict) => conflict.columns(['game_id', 'hash']).doNothing())
          .execute();
      }
      // Checked again, because an update of the store page may have used the space during the upload.
      checkStoredBytes(platform, await storedBytes(trx, gameId), 'Delete old releases');
      for (const rows of inGroups(files)) {
        await trx.insertInto('release_files').values(rows).execute();
        await setImmediate();
      }
      await keepHashedFiles(platform, trx, game, release);
      const changed = await pointToRelease(platform, trx, game, release);
      const actor = actorOf(caller);
      await writeAudit(trx, {
        at: release.created_at,
        actor,
        action: 'release.published',
        subject: gameId,
        detail: release.version,
      });
      return changed;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `The version "${release.version}" was used before. Choose another`;
    throw failure('version_exists', message, { details: [{ path: 'version', message }] });
  }
}

function manifestRows({ release, build }: JudgedRelease): ReleaseFilesTable[] {
  return build.files.map((file) => ({
    release_id: release.id,
    path: file.path,
    hash: file.sha256,
    type: file.type,
    encoding: file.encoding,
    bytes: file.bytes,
    inner_bytes: file.inner_bytes ?? file.bytes,
    hashed_name: hasContentHash(file.path) ? 1 : 0,
  }));
}

async function checkReleaseCount(platform: Platform, trx: Trx, gameId: string): Promise<void> {
  const { count } = await trx
    .selectFrom('releases')
    .select((eb) => eb.fn.countAll<number | bigint | string>().as('count'))
    .where('game_id', '=', gameId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(count) < platform.limits.releases_per_project) return;
  throw failure(
    'quota_exceeded',
    `Cannot publish: the project has ${count} releases. Delete old releases`,
  );
}

/** Keeps replaced files with a content hash in the name for the days of grace, so that running games can load them. */
async function keepHashedFiles(
  platform: Platform,
  trx: Trx,
  game: GamesTable,
  release: ReleasesTable,
): Promise<void> {
  const until = release.created_at + platform.limits.hashed_files_grace_days * DAY_MS;
  const isNew = (path: string) =>
    trx
      .selectFrom('release_files as fresh')
      .select('fresh.path')
      .where('fresh.release_id', '=', release.id)
      .whereRef('fresh.path', '=', path as never);
  await trx
    .deleteFrom('kept_files')
    .where('game_id', '=', game.id)
    .where(({ exists }) => exists(isNew('kept_files.path')))
    .execute();
  if (game.live_release_id === null || game.status !== 'published') return;
  const gone = await trx
    .selectFrom('release_files')
    .selectAll()
    .where('release_id', '=', game.live_release_id)
    .where('hashed_name', '=', 1)
    .where(({ not, exists }) => not(exists(isNew('release_files.path'))))
    .execute();
  for (const rows of inGroups(gone)) {
    await trx
      .insertInto('kept_files')
      .values(rows.map((file) => ({ ...file, game_id: game.id, until })))
      .execute();
  }
}

async function pointToRelease(
  platform: Platform,
  trx: Trx,
  game: GamesTable,
  release: ReleasesTable,
): Promise<GamesTable> {
  const changed = await trx
    .updateTable('games')
    .set({
      status: 'published',
      live_release_id: release.id,
      published_at: game.published_at ?? release.created_at,
      updated_at: platform.now(),
    })
    .where('id', '=', game.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await indexGame(trx, changed);
  return changed;
}

function* inGroups<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS) yield rows.slice(start, start + ROWS);
}
