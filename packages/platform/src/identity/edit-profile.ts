// Edits what a user shows of themselves; what they edited, the identity provider no longer changes.
import type { EditProfile } from '@svc/contracts/platform';
import { indexDeveloper } from '../catalog/search-index.ts';
import type { UsersTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

/** The user after the edit. An absent field stays. */
export async function editProfile(
  platform: Platform,
  user: UsersTable,
  edit: EditProfile,
): Promise<UsersTable> {
  const changes: Partial<UsersTable> = {};
  if (edit.name !== undefined) Object.assign(changes, { name: edit.name.trim(), name_edited: 1 });
  if (edit.avatar !== undefined) Object.assign(changes, { avatar: edit.avatar, avatar_edited: 1 });
  const changed = { ...user, ...changes };
  if (Object.keys(changes).length === 0) return user;
  await platform.db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set(changes).where('uid', '=', user.uid).execute();
    await indexDeveloper(trx, changed);
  });
  return changed;
}
