// Users as JSON records: the public profile, and a user's own account.
import type { Account, User } from '@svc/contracts/platform';
import type { UsersTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';
import type { Addresses } from '../platform.ts';

/** Returns the public profile. No other field of a user is public. */
export function userRecord({ publicUrl }: Addresses, user: UsersTable): User {
  return {
    uid: user.uid,
    name: user.name,
    avatar: user.avatar_id === null ? null : `${publicUrl}/media/avatars/${user.avatar_id}.webp`,
    created_at: formatTime(user.created_at),
  };
}

/** Returns the account as its user sees it. */
export function accountRecord(addresses: Addresses, user: UsersTable): Account {
  return { ...userRecord(addresses, user), email: user.email, role: user.role };
}
