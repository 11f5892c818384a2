// Edits what a user shows of themselves; what they edited, the identity provider no longer changes.
import type { EditProfile } from '@svc/contracts/platform';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import type { UsersTable } from '../database/schema.ts';
import { indexDeveloper } from '../database/search-index.ts';
import type { Platform } from '../platform.ts';
import { dropAvatar } from './drop-avatar.ts';

/** The user after the edit. An absent field stays. */
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
