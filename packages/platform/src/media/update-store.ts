// Updates a store page: what it says, and its banner, cover, screenshots and trailer, all or nothing.
import { explainInput, findJsonFault, type JsonFault, quoted } from '@svc/contracts/faults';
import { type PageLayout, requestSchemas, type StoreMetadata } from '@svc/contracts/platform';
import type { FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import type { Caller } from '../access/caller.ts';
import { lockOwnGame } from '../access/own-game.ts';
import type { GamesTable, MediaTable, Trx } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import { failure } from '../failure.ts';
import { checkTexts } from '../http/check-texts.ts';
import { type PartRule, type Parts, readParts } from '../http/read-parts.ts';
import type { Platform } from '../platform.ts';
import { claimForUpdate } from '../storage/claim-game.ts';
import { collectUnusedMedia } from '../storage/collect-unused.ts';
import { checkStoredBytes, storedBytes } from '../storage/stored-bytes.ts';
import { type Brought, keepMedia } from './keep-media.ts';

const METADATA = { whole: 'the part "metadata"', field: 'field' };

/** The game after the update. */
export async function updateStore(
  platform: Platform,
  caller: Caller,
  game: GamesTable,
  request: FastifyRequest,
): Promise<GamesTable> {
  await using folder = await platform.spool.openFolder();
  const parts = await readParts(
    request,
    folder,
    partRules(platform),
    platform.limits.upload_silence_seconds,
  );
  const metadata = readMetadata(platform, parts.texts.get('metadata'));
  checkTwice(metadata, parts);
  await using _claim = await claimForUpdate(platform, game.id);
  const batch = platform.files.startBatch();
  let changed: GamesTable;
  try {
    const brought = await keepMedia(platform, game.id, parts, {
      folder,
      batch,
      cut: request.cut,
    });
    await batch.settle();
    request.cut.throwIfAborted();
    changed = await platform.db
      .transaction()
      .execute((trx) => commitStore(platform, trx, caller, game.id, metadata, brought));
  } catch (error) {
    await batch.undo();
    throw error;
  }
  // The page is what it is now to be: what can't be removed at this moment is no fault of the update.
  await collectUnusedMedia(platform, game.id).catch((error: unknown) => {
    platform.log(`internal: store: ${error instanceof Error ? error.stack : String(error)}`);
  });
  return changed;
}

function partRules({ limits }: Platform): Record<string, PartRule> {
  const image: PartRule = {
    kind: 'file',
    bytes: limits.image_bytes,
    times: 1,
    tooLarge: 'image_too_large',
  };
  return {
    metadata: { kind: 'text', bytes: limits.json_body_bytes, times: 1 },
    banner: image,
    cover: image,
    screenshots: { ...image, times: limits.screenshots },
    trailer: { kind: 'file', bytes: limits.trailer_bytes, times: 1 },
  };
}

function readMetadata(platform: Platform, text: string | undefined): StoreMetadata {
  if (text === undefined) {
    throw metadataError('', 'The part "metadata" is missing. Add the part "metadata", as JSON');
  }
  const schema = requestSchemas(platform.limits).StoreMetadata;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const fault = findJsonFault(text, 'The part "metadata"');
    const message = fault?.message ?? 'The part "metadata" is not valid JSON';
    throw metadataError('', message, fault ?? {});
  }
  if (Value.Check(schema, value)) {
    checkTexts(value, (field) => `metadata/${field}`);
    return value;
  }
  const reported = Value.Errors(schema, value)[0]?.instancePath;
  const faults = explainInput(schema, value, METADATA, reported);
  throw failure('invalid_input', faults[0].message, {
    details: faults.map(({ path, message }) => ({ path: `metadata${path}`, message })),
  });
}

function metadataError(path: string, message: string, { line, column }: Partial<JsonFault> = {}) {
  return failure('invalid_input', message, {
    details: [{ path: `metadata${path}`, message }],
    ...(line === undefined || column === undefined ? {} : { line, column }),
  });
}

/** Clearing something and sending a new one at once can't both be meant. */
function checkTwice(metadata: StoreMetadata, parts: Parts): void {
  for (const name of ['banner', 'cover', 'trailer'] as const) {
    if (metadata[name] === null && parts.files.has(name)) {
      const both = `The ${name} is removed and sent at once. Allowed: either null, or the part "${name}"`;
      throw metadataError(`/${name}`, both);
    }
  }
}

async function commitStore(
  platform: Platform,
  trx: Trx,
  caller: Caller,
  gameId: string,
  metadata: StoreMetadata,
  brought: Brought,
): Promise<GamesTable> {
  const game = await lockOwnGame(platform, trx, caller, gameId);
  const { banner, cover, trailer, screenshots } = brought;
  const rows = [banner, cover, trailer, ...screenshots].filter((row) => row !== null);
  if (rows.length > 0) await trx.insertInto('media').values(rows).execute();
  const pick = (name: 'banner' | 'cover' | 'trailer', before: string | null): string | null =>
    brought[name]?.id ?? (metadata[name] === null ? null : before);
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
  await dropUnusedMedia(trx, changed, shots);
  await setAlt(trx, changed, metadata.alt ?? {}, screenshots);
  if (rows.length > 0) {
    checkStoredBytes(platform, await storedBytes(trx, gameId), 'Delete old releases or media');
  }
  await indexGame(trx, changed);
  return changed;
}

function textChanges(metadata: StoreMetadata): Partial<GamesTable> {
  const changes: Partial<GamesTable> = {};
  if (metadata.tagline !== undefined) changes.tagline = metadata.tagline;
  if (metadata.description !== undefined) changes.description = metadata.description;
  if (metadata.category !== undefined) changes.category = metadata.category;
  if (metadata.tags !== undefined) changes.tags = JSON.stringify(metadata.tags ?? []);
  if (metadata.isolation !== undefined) changes.isolation = metadata.isolation;
  if (metadata.layout !== undefined) {
    changes.layout = metadata.layout === null ? null : formatLayout(metadata.layout);
  }
  return changes;
}

/** A layout as it is kept: one spelling for each colour. */
function formatLayout(layout: PageLayout): string {
  return JSON.stringify({ ...layout, accent: layout.accent?.toLowerCase() ?? null });
}

/** Ids of the screenshots in their new order. A list orders and removes; without one, new ones come last. */
function orderScreenshots(
  { limits }: Platform,
  game: GamesTable,
  list: StoreMetadata['screenshots'],
  brought: readonly MediaTable[],
): string[] {
  const before: string[] = JSON.parse(game.screenshots);
  const fresh = brought.map((row) => row.id);
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
  const forgotten = fresh.findIndex((id) => !order.includes(id));
  if (forgotten !== -1) {
    const message = `The list of screenshots lacks new:${forgotten}, which is sent with it. Add it to the list`;
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
): Promise<void> {
  const used = [game.banner_id, game.cover_id, game.trailer_id, ...shots].flatMap((id) => id ?? []);
  let unused = trx.deleteFrom('media').where('game_id', '=', game.id);
  if (used.length > 0) unused = unused.where('id', 'not in', used);
  await unused.execute();
}

async function setAlt(
  trx: Trx,
  game: GamesTable,
  texts: NonNullable<StoreMetadata['alt']>,
  brought: readonly MediaTable[],
): Promise<void> {
  const shots: string[] = JSON.parse(game.screenshots);
  const named = new Map<string, string | null>([
    ['banner', game.banner_id],
    ['cover', game.cover_id],
    ['trailer', game.trailer_id],
    ...brought.map(({ id }, index) => [`new:${index}`, id] as const),
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
