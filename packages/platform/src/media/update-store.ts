// Updates a store page: its texts, banner, cover, screenshots and trailer. All of it changes, or nothing.
import { quoted } from '@svc/contracts/faults';
import type { PageLayout, StoreMetadata } from '@svc/contracts/platform';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { findOwnGame, lockOwnGame } from '../access/own-game.ts';
import type { GamesTable, MediaTable, Trx } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { settleBatch } from '../files/settle-batch.ts';
import type { Platform } from '../platform.ts';
import { inAttempt } from '../storage/attempt.ts';
import { areRemovalsHeld } from '../storage/removal-hold.ts';
import { checkStoredBytes, mediaKeys } from '../storage/stored-bytes.ts';
import { endMediaRemoval } from '../storage/unused-places.ts';
import { writeRemoval } from '../storage/write-removal.ts';
import { type AddedMedia, keepMedia } from './keep-media.ts';
import { metadataError, readUpdate } from './read-update.ts';

const NO_MEDIA: AddedMedia = { banner: null, cover: null, trailer: null, screenshots: [] };

/** Updates the store page and returns the changed game. */
export async function updateStore(
  platform: Platform,
  caller: Caller,
  game: GamesTable,
  request: FastifyRequest,
): Promise<GamesTable> {
  await using folder = await platform.spool.openFolder();
  const { metadata, parts } = await readUpdate(platform.limits, request, folder);
  const change = { caller, gameId: game.id, metadata };
  if (parts.files.size === 0) {
    const texts = { ...change, added: NO_MEDIA };
    const { changed, replaced } = await platform.db
      .transaction()
      .execute((trx) => commitStore(platform, trx, texts));
    await removeReplaced(platform, game.id, replaced);
    return changed;
  }
  const target = { gameId: game.id, kind: 'media' } as const;
  const { changed, replaced } = await inAttempt(platform, target, async (attempt) => {
    const signal = AbortSignal.any([request.abortSignal, attempt.signal]);
    const added = await keepMedia(platform, game.id, parts, { folder, attempt, signal });
    await settleBatch(attempt.batch, signal);
    return attempt.commit(
      (trx) => commitStore(platform, trx, { ...change, added }),
      // The removal of replaced files is scheduled, and the upkeep does it.
      async () => ({ changed: await findOwnGame(platform, caller, game.id), replaced: null }),
    );
  });
  await removeReplaced(platform, game.id, replaced);
  return changed;
}

/** Files of replaced media, whose removal is scheduled. Null if there are none. */
type Replaced = { readonly removalId: string; readonly keys: readonly string[] } | null;

/** Removes replaced files. The update is committed: if they can't be removed now, or a backup holds them, the upkeep removes them later. */
async function removeReplaced(
  platform: Platform,
  gameId: string,
  replaced: Replaced,
): Promise<void> {
  if (replaced === null) return;
  try {
    if (await areRemovalsHeld(platform)) return;
    await platform.files.remove(replaced.keys);
    await endMediaRemoval(platform, gameId, replaced.removalId);
  } catch (error) {
    platform.log.warn(`the files of replaced media are left to the upkeep: ${String(error)}`);
  }
}

type StoreChange = {
  readonly caller: Caller;
  readonly gameId: string;
  readonly metadata: StoreMetadata;
  readonly added: AddedMedia;
};

async function commitStore(
  platform: Platform,
  trx: Trx,
  { caller, gameId, metadata, added }: StoreChange,
): Promise<{ changed: GamesTable; replaced: Replaced }> {
  const game = await lockOwnGame(platform, trx, caller, gameId);
  const { banner, cover, trailer, screenshots } = added;
  const rows = [banner, cover, trailer, ...screenshots].filter((row) => row !== null);
  if (rows.length > 0) await trx.insertInto('media').values(rows).execute();
  const pick = (name: 'banner' | 'cover' | 'trailer', before: string | null): string | null =>
    added[name]?.id ?? (metadata[name] === null ? null : before);
  const shots = orderScreenshots(platform, game, metadata.screenshots, screenshots);
  const changed = await trx
    .updateTable('games')
    .set({
      ...textChanges(metadata),
      banner_id: pick('banner', game.banner_id),
      cover_id: pick('cover', game.cover_id),
      trailer_id: pick('trailer', game.trailer_id),
      screenshots: JSON.stringify(shots),
      updated_at: platform.now(),
    })
    .where('id', '=', gameId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const replaced = await dropUnusedMedia(trx, changed, shots);
  await setAlt(trx, changed, metadata.alt ?? {}, screenshots);
  if (rows.length > 0) {
    await checkStoredBytes(platform, trx, {
      ...{ gameId, addedBytes: 0, hint: 'Delete old releases or media' },
    });
  }
  await indexGame(trx, changed);
  return { changed, replaced };
}

function textChanges(metadata: StoreMetadata): Partial<GamesTable> {
  const changes: Partial<GamesTable> = {};
  if (metadata.tagline !== undefined) changes.tagline = metadata.tagline;
  if (metadata.description !== undefined) changes.description = metadata.description;
  if (metadata.category !== undefined) changes.category = metadata.category;
  if (metadata.tags !== undefined) changes.tags = JSON.stringify(metadata.tags ?? []);
  if (metadata.isolation !== undefined) changes.isolation = metadata.isolation;
  if (metadata.profiling !== undefined) changes.profiling = metadata.profiling === true ? 1 : 0;
  if (metadata.address !== undefined) changes.address = metadata.address;
  if (metadata.layout !== undefined) {
    changes.layout = metadata.layout === null ? null : formatLayout(metadata.layout);
  }
  return changes;
}

/** Formats a layout for the database, with the colour in lower case. */
function formatLayout(layout: PageLayout): string {
  return JSON.stringify({ ...layout, accent: layout.accent?.toLowerCase() ?? null });
}

/** Returns the ids of the screenshots in their new order. Without a list, new ones are appended. */
function orderScreenshots(
  { limits }: Platform,
  game: GamesTable,
  list: StoreMetadata['screenshots'],
  added: readonly MediaTable[],
): string[] {
  const before: string[] = JSON.parse(game.screenshots);
  const fresh = added.map((row) => row.id);
  const order =
    list === undefined || list === null
      ? [...(list === null ? [] : before), ...fresh]
      : list.map((entry, index) => {
          const number = /^new:(0|[1-9]\d*)$/.exec(entry)?.[1];
          const id = number === undefined ? entry : fresh[Number(number)];
          if (id !== undefined && (number !== undefined || before.includes(id))) return id;
          const message = `Screenshot ${index + 1}${quoted(entry)} is unknown. Allowed: ids of screenshots of the page, and new:0 for the first part "screenshots"`;
          throw metadataError(`/screenshots/${index}`, message);
        });
  const omitted = fresh.findIndex((id) => !order.includes(id));
  if (omitted !== -1) {
    const message = `The list of screenshots lacks new:${omitted}, which is sent with it. Add it to the list`;
    throw metadataError('/screenshots', message);
  }
  if (order.length > limits.screenshots) {
    const message = `The page has ${order.length} screenshots. Allowed: at most ${limits.screenshots}`;
    throw metadataError('/screenshots', message);
  }
  return order;
}

async function dropUnusedMedia(
  trx: Trx,
  game: GamesTable,
  shots: readonly string[],
): Promise<Replaced> {
  const used = [game.banner_id, game.cover_id, game.trailer_id, ...shots].flatMap((id) => id ?? []);
  let unused = trx.deleteFrom('media').where('game_id', '=', game.id);
  if (used.length > 0) unused = unused.where('id', 'not in', used);
  const rows = await unused.returning(['file', 'variants', 'place']).execute();
  if (rows.length === 0) return null;
  const keys = rows.flatMap((row) => mediaKeys(game.id, row));
  return { removalId: await writeRemoval(trx, game.id, 'unused'), keys };
}

async function setAlt(
  trx: Trx,
  game: GamesTable,
  texts: NonNullable<StoreMetadata['alt']>,
  added: readonly MediaTable[],
): Promise<void> {
  const shots: string[] = JSON.parse(game.screenshots);
  const named = new Map<string, string | null>([
    ['banner', game.banner_id],
    ['cover', game.cover_id],
    ['trailer', game.trailer_id],
    ...added.map(({ id }, index) => [`new:${index}`, id] as const),
    ...shots.map((id) => [id, id] as const),
  ]);
  for (const [name, text] of Object.entries(texts)) {
    const id = named.get(name) ?? null;
    if (id === null) {
      const message = `The alternative text of${quoted(name) || ' an entry'} belongs to nothing on the page. Allowed: banner, cover, trailer, ids of screenshots, new:0`;
      throw metadataError('/alt', message);
    }
    const alt = text === '' ? null : text;
    await trx.updateTable('media').set({ alt }).where('id', '=', id).execute();
  }
}
