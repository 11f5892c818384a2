// Edits a user's profile. A name that the user edited is no longer updated from the identity provider.
import type { EditProfile } from '@svc/contracts/platform';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import type { UsersTable } from '../database/schema.ts';
import { indexDeveloper } from '../database/search-index.ts';
import type { Platform } from '../platform.ts';
import { dropAvatar } from './drop-avatar.ts';

/** Edits the profile and returns the user. An absent field keeps its value. */
export async function editProfile(
  platform: Platform,
  caller: Caller,
  edit: EditProfile,
): Promise<UsersTable> {
  const changes: Partial<UsersTable> = {};
  if (edit.name !== undefined) Object.assign(changes, { name: edit.name.trim(), name_edited: 1 });
  if (edit.avatar === null) changes.avatar_id = null;
  return platform.db.transaction().execute(async (trx) => {
    const { user } = await confirmCaller(platform, trx, caller);
    if (Object.keys(changes).length === 0) return user;
    const changed = { ...user, ...changes };
    await trx.updateTable('users').set(changes).where('uid', '=', user.uid).execute();
    if (edit.avatar === null) await dropAvatar(trx, user.uid);
    await indexDeveloper(trx, changed);
    return changed;
  });
}
