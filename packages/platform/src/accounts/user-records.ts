// Users as they travel: what strangers may see, and what a user sees of themselves.
import type { Account, User } from '@svc/contracts/platform';
import type { UsersTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';
import type { Addresses } from '../platform.ts';

/** The public view: nothing but these four fields, ever. */
export function userRecord({ publicUrl }: Addresses, user: UsersTable): User {
  return {
    uid: user.uid,
    name: user.name,
    avatar: user.avatar_id === null ? null : `${publicUrl}/media/avatars/${user.avatar_id}.webp`,
    created_at: formatTime(user.created_at),
  };
}

/** The view of the user themselves. */
export function accountRecord(addresses: Addresses, user: UsersTable): Account {
  return { ...userRecord(addresses, user), email: user.email, role: user.role };
}
