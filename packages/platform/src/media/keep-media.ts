// Stores the files of a store page update: images in every size, the trailer unchanged. Returns the rows to insert.
import { ApiError } from '@svc/serve';
import { newId } from '../database/new-id.ts';
import type { MediaTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { type Batch, mediaKey } from '../files/file-store.ts';
import type { SpoolFolder } from '../files/spool.ts';
import type { Parts, SpooledFile } from '../http/read-parts.ts';
import type { Platform } from '../platform.ts';
import type { StoredVariant } from '../storage/stored-bytes.ts';
import { prepareImage } from './prepare-image.ts';
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
  readonly batch: Batch;
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
      trailer === undefined ? null : await keepTrailer(platform, gameId, trailer, into.batch),
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
  { folder, batch, signal }: MediaWork,
): Promise<MediaTable> {
  const id = newId();
  const { limits } = platform;
  const { main, variants } = await prepareImage({ source: file.path, folder, limits, signal });
  for (const one of [main, ...variants]) {
    await batch.put(mediaKey(gameId, `${id}${one.suffix}`), one.path);
  }
  const { type, width, height, bytes } = main;
  return {
    ...{ id, game_id: gameId, kind: 'image', file: `${id}${main.suffix}` },
    ...{ type, width, height, bytes },
    alt: null,
    variants: JSON.stringify(
      variants.map(
        (one): StoredVariant => ({
          file: `${id}${one.suffix}`,
          type: one.type,
          width: one.width,
          height: one.height,
          bytes: one.bytes,
        }),
      ),
    ),
    created_at: platform.now(),
  };
}

async function keepTrailer(
  platform: Platform,
  gameId: string,
  file: SpooledFile,
  batch: Batch,
): Promise<MediaTable> {
  const type = await readTrailerType(file.path);
  if (type === null) throw failure('trailer_invalid', 'The trailer is not an MP4 or WebM file');
  const id = newId();
  const name = `${id}.${type.slice('video/'.length)}`;
  await batch.put(mediaKey(gameId, name), file.path);
  return {
    ...{ id, game_id: gameId, kind: 'video', file: name, type, width: null, height: null },
    ...{ bytes: file.bytes, alt: null, variants: '[]', created_at: platform.now() },
  };
}
