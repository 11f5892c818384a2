// Stores the files of a store page update: images in every size, the trailer unchanged. Returns the rows to insert.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@svc/serve';
import { newId } from '../database/new-id.ts';
import type { MediaTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { mediaKey } from '../files/keys.ts';
import type { SpoolFolder } from '../files/spool.ts';
import type { Parts, SpooledFile } from '../http/read-parts.ts';
import type { Platform } from '../platform.ts';
import type { Attempt } from '../storage/attempt.ts';
import type { StoredVariant } from '../storage/stored-bytes.ts';
import { type PreparedImage, prepareImage } from './prepare-image.ts';
import { readTrailerType } from './read-trailer-type.ts';

/** The new media of an update by their place on the page. */
export type AddedMedia = {
  readonly banner: MediaTable | null;
  readonly cover: MediaTable | null;
  readonly trailer: MediaTable | null;
  readonly screenshots: readonly MediaTable[];
};

/** Where the files of an update are made and stored. `signal` aborts the work. */
type MediaWork = {
  readonly folder: SpoolFolder;
  readonly attempt: Pick<Attempt, 'id' | 'batch'>;
  readonly signal: AbortSignal;
};

/** Puts the files of the parts into the batch. Throws `image_invalid`, `image_too_large`, `trailer_invalid`. */
export async function keepMedia(
  platform: Platform,
  gameId: string,
  parts: Parts,
  into: MediaWork,
): Promise<AddedMedia> {
  const image = async (name: string, file: SpooledFile): Promise<MediaTable> =>
    keepImage(platform, gameId, file, into).catch((error: unknown) => {
      throw namePart(name, error);
    });
  const file = (name: string): SpooledFile | undefined => parts.files.get(name)?.[0];
  const [trailer, banner, cover] = [file('trailer'), file('banner'), file('cover')];
  const added = {
    trailer:
      trailer === undefined ? null : await keepTrailer(platform, gameId, trailer, into.attempt),
    banner: banner === undefined ? null : await image('banner', banner),
    cover: cover === undefined ? null : await image('cover', cover),
  };
  const screenshots: MediaTable[] = [];
  for (const [index, one] of (parts.files.get('screenshots') ?? []).entries()) {
    screenshots.push(await image(`screenshots/${index}`, one));
  }
  return { ...added, screenshots };
}

/** Adds the name of the part to an error about an image. Returns other errors unchanged. */
export function namePart(path: string, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, cause } = error;
  if (code !== 'image_invalid' && code !== 'image_too_large') return error;
  const [name = '', index] = path.split('/');
  const label = index === undefined ? `The ${name}` : `Screenshot ${Number(index) + 1}`;
  const message = error.message.replace(/^The image/, label);
  return failure(code, message, { cause, details: [{ path, message }] });
}

async function keepImage(
  platform: Platform,
  gameId: string,
  file: SpooledFile,
  { folder, attempt, signal }: MediaWork,
): Promise<MediaTable> {
  const id = newId();
  const { limits } = platform;
  const { main, variants } = await prepareImage({ source: file.path, folder, limits, signal });
  const keep = async (one: PreparedImage): Promise<Required<StoredVariant>> => {
    const stored = `${id}${one.suffix}`;
    // The encoder writes the file itself. The batch removes it.
    const hash = await hashFile(one.path);
    await attempt.batch.put(mediaKey(gameId, attempt.id, stored), one.path);
    const { type, width, height, bytes } = one;
    return { file: stored, type, width, height, bytes, hash };
  };
  const kept = await keep(main);
  const keptVariants: StoredVariant[] = [];
  for (const one of variants) keptVariants.push(await keep(one));
  return {
    ...{ id, game_id: gameId, kind: 'image', ...kept, alt: null },
    ...{ variants: JSON.stringify(keptVariants), created_at: platform.now(), place: attempt.id },
  };
}

/** Returns the SHA-256 of a local file in hex. */
async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function keepTrailer(
  platform: Platform,
  gameId: string,
  file: SpooledFile,
  attempt: MediaWork['attempt'],
): Promise<MediaTable> {
  const type = await readTrailerType(file.path);
  if (type === null) throw failure('trailer_invalid', 'The trailer is not an MP4 or WebM file');
  const id = newId();
  const name = `${id}.${type.slice('video/'.length)}`;
  await attempt.batch.put(mediaKey(gameId, attempt.id, name), file.path);
  return {
    ...{ id, game_id: gameId, kind: 'video', file: name, type, width: null, height: null },
    ...{ bytes: file.bytes, alt: null, variants: '[]', created_at: platform.now() },
    ...{ place: attempt.id, hash: file.hash },
  };
}
