// Stores an uploaded avatar: decodes it, crops it to a square, encodes it without metadata, and replaces the previous one.
import { readFile } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import { dropAvatar } from '../accounts/drop-avatar.ts';
import { newId } from '../database/new-id.ts';
import type { UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { readParts } from '../http/read-parts.ts';
import type { Platform } from '../platform.ts';
import { namePart } from './keep-media.ts';
import { prepareAvatar } from './prepare-image.ts';

/** Stores the picture and returns the user. Throws `invalid_input`, `image_invalid`, `image_too_large`. */
export async function keepAvatar(
  platform: Platform,
  caller: Caller,
  request: FastifyRequest,
): Promise<UsersTable> {
  const content = await readAvatar(platform, request);
  request.abortSignal.throwIfAborted();
  const { uid } = caller.user;
  const avatar = { id: newId(), uid, bytes: content.length, content };
  return platform.db.transaction().execute(async (trx) => {
    await confirmCaller(platform, trx, caller);
    const changed = await trx
      .updateTable('users')
      .set({ avatar_id: avatar.id })
      .where('uid', '=', uid)
      .returningAll()
      .executeTakeFirstOrThrow();
    await dropAvatar(trx, uid);
    await trx
      .insertInto('avatars')
      .values({ ...avatar, created_at: platform.now() })
      .execute();
    return changed;
  });
}

/** Reads the part `avatar` and returns it as a square WebP. */
async function readAvatar(platform: Platform, request: FastifyRequest): Promise<Buffer> {
  const { limits } = platform;
  await using folder = await platform.spool.openFolder();
  const { files } = await readParts(request, {
    folder,
    rules: {
      avatar: { kind: 'file', bytes: limits.image_bytes, times: 1, tooLarge: 'image_too_large' },
    },
    silenceSeconds: limits.upload_silence_seconds,
  });
  const [file] = files.get('avatar') ?? [];
  if (file === undefined) {
    const message = 'The avatar is missing. Add the part "avatar", an image file';
    throw failure('invalid_input', message, { details: [{ path: 'avatar', message }] });
  }
  const work = { source: file.path, folder, limits, signal: request.abortSignal };
  const image = await prepareAvatar(work).catch((error: unknown) => {
    throw namePart('avatar', error);
  });
  // Awaited here because the folder is removed when this function returns.
  return await readFile(image.path);
}
