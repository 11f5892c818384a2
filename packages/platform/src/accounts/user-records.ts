// Users as JSON records: the public profile, and a user's own account.
import type { Account, User } from '@svc/contracts/platform';
import { quotaOf } from '../access/quota.ts';
import type { UsersTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';
import type { Addresses, Platform } from '../platform.ts';

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
export function accountRecord(
  { addresses, limits }: Pick<Platform, 'addresses' | 'limits'>,
  user: UsersTable,
): Account {
  return {
    ...userRecord(addresses, user),
    email: user.email,
    role: user.role,
    sessions_ended_at: formatTime(user.sessions_ended_at),
    quota: quotaOf(limits, user),
  };
}
