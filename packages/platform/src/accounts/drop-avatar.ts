// Removes the picture of a user.

import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import type { Trx } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

/** Removes the caller's picture and its address. Does nothing if there is none. */
export async function removeAvatar(platform: Platform, caller: Caller): Promise<void> {
  await platform.db.transaction().execute(async (trx) => {
    const { uid } = (await confirmCaller(platform, trx, caller)).user;
    await trx.updateTable('users').set({ avatar_id: null }).where('uid', '=', uid).execute();
    await dropAvatar(trx, uid);
  });
}

/** Deletes the row of the picture. Change the user's `avatar_id` first: that locks the user's row. */
export async function dropAvatar(trx: Trx, uid: string): Promise<void> {
  await trx.deleteFrom('avatars').where('uid', '=', uid).execute();
}
