// Users as JSON records: the public profile, and a user's own account.
import type { Account, MailChoices, User } from '@svc/contracts/platform';
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
  { addresses, limits, sendsMail }: Pick<Platform, 'addresses' | 'limits' | 'sendsMail'>,
  user: UsersTable,
): Account {
  return {
    ...userRecord(addresses, user),
    email: user.email,
    role: user.role,
    sessions_ended_at: formatTime(user.sessions_ended_at),
    quota: quotaOf(limits, user),
    ...(sendsMail && { mail: readMailChoices(user) }),
  };
}

/** Returns which e-mail the user gets. All of it, until they turn some off. */
export function readMailChoices({ mail_off }: Pick<UsersTable, 'mail_off'>): MailChoices {
  const off = new Set<string>(mail_off === null ? [] : JSON.parse(mail_off));
  return {
    reports: !off.has('reports'),
    releases: !off.has('releases'),
    sign_ins: !off.has('sign_ins'),
  };
}

/** Returns the user's choices for the column `mail_off`. */
export function formatMailOff(choices: MailChoices): string | null {
  const off = Object.entries(choices).flatMap(([name, isOn]) => (isOn ? [] : [name]));
  return off.length === 0 ? null : JSON.stringify(off);
}
