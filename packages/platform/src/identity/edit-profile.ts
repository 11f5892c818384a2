// Edits what a user shows of themselves; what they edited, the identity provider no longer changes.
import type { EditProfile } from '@svc/contracts/platform';
import { indexDeveloper } from '../catalog/search-index.ts';
import type { UsersTable } from '../database/schema.ts';
import { failure } from '../http/failure.ts';
import type { Platform } from '../platform.ts';
import type { Caller } from './caller.ts';
import { confirmCaller } from './confirm-caller.ts';
import { dropAvatar } from './drop-avatar.ts';

/** The user after the edit. An absent field stays. Throws `invalid_input` for an address as avatar. */
export async function editProfile(
  platform: Platform,
  caller: Caller,
  edit: EditProfile,
): Promise<UsersTable> {
  if (typeof edit.avatar === 'string') throw addressRefused();
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

/** A picture on another host would tell that host about everybody who looks at a page. */
function addressRefused() {
  const message =
    'The avatar is an address. Allowed: null, which removes it; an image is uploaded with PUT /me/avatar';
  const hint = 'Send the image as the part "avatar" of multipart form data: PUT /me/avatar';
  return failure('invalid_input', message, { details: [{ path: '/avatar', message, hint }] });
}
