// Removes the picture of a user.
import type { Trx, UsersTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

/** Removes the picture, and its address with it. Without a picture it changes nothing. */
export async function removeAvatar({ db }: Platform, user: UsersTable): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ avatar_id: null }).where('uid', '=', user.uid).execute();
    await dropAvatar(trx, user.uid);
  });
}

/** Removes the row. The caller changes the user's `avatar_id` first, which locks the user's row. */
export async function dropAvatar(trx: Trx, uid: string): Promise<void> {
  await trx.deleteFrom('avatars').where('uid', '=', uid).execute();
}
