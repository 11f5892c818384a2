// Edits a user's profile. A name that the user edited is no longer updated from the identity provider.
import type { EditProfile } from '@svc/contracts/platform';
import type { Caller } from '../access/caller.ts';
import { confirmCaller } from '../access/confirm-caller.ts';
import type { UsersTable } from '../database/schema.ts';
import { indexDeveloper } from '../database/search-index.ts';
import { checkName } from '../http/check-names.ts';
import type { Platform } from '../platform.ts';
import { dropAvatar } from './drop-avatar.ts';
import { formatMailOff, readMailChoices } from './user-records.ts';

/** Edits the profile and returns the user. An absent field keeps its value. The same name again does not count as edited. Throws `invalid_input`. */
export async function editProfile(
  platform: Platform,
  caller: Caller,
  edit: EditProfile,
): Promise<UsersTable> {
  const changes: Partial<UsersTable> = {};
  if (edit.avatar === null) changes.avatar_id = null;
  return platform.db.transaction().execute(async (trx) => {
    const { user } = await confirmCaller(platform, trx, caller);
    const name = edit.name?.trim() ?? user.name;
    // A form that sends all fields does not make this an edit of the name.
    if (name !== user.name) {
      checkName(platform.blockedWords, 'name', name);
      Object.assign(changes, { name, name_edited: 1 });
    }
    if (edit.mail !== undefined) {
      changes.mail_off = formatMailOff({ ...readMailChoices(user), ...edit.mail });
    }
    if (Object.keys(changes).length === 0) return user;
    const changed = { ...user, ...changes };
    await trx.updateTable('users').set(changes).where('uid', '=', user.uid).execute();
    if (edit.avatar === null) await dropAvatar(trx, user.uid);
    await indexDeveloper(trx, changed);
    return changed;
  });
}
