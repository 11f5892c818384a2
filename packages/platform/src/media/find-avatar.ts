// Finds the avatar for an address below /media/avatars. Avatars are stored in the database.

import type { FileSource, Sendable } from '@svc/delivery';
import { MissingFileError } from '../files/storage-error.ts';
import type { Platform } from '../platform.ts';
import { makeMedium } from './find-medium.ts';

const NAME = /^\/media\/avatars\/([0-9a-f-]{36})\.webp$/;

/** Returns the avatar at the path; null if there is none, or if its user is suspended. */
export async function findAvatar({ db }: Platform, path: string): Promise<Sendable | null> {
  const [, id = ''] = NAME.exec(path) ?? [];
  if (id === '') return null;
  const row = await db
    .selectFrom('avatars')
    .innerJoin('users', 'users.uid', 'avatars.uid')
    .select('avatars.bytes')
    .where('avatars.id', '=', id)
    .where('users.suspended_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const file = `${id}.webp`;
  return makeMedium({ key: id, file, bytes: row.bytes, type: 'image/webp', isPublic: true });
}

/** Returns the avatars as files, with their id as the key. */
export function avatarFiles({ db }: Platform): FileSource {
  return {
    async open(id) {
      const row = await db
        .selectFrom('avatars')
        .select('content')
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw new MissingFileError(id);
      const { content } = row;
      return {
        bytes: content.length,
        read: async (buffer, position) => {
          const part = content.subarray(position, position + buffer.length);
          buffer.set(part);
          return part.length;
        },
        close: async () => {},
      };
    },
  };
}
