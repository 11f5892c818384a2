// The entries of an export: the data of a user. Each is read from the database when its turn comes.
import type { AuditRecord } from '@svc/contracts/platform';
import { findGameIds } from '../access/own-game.ts';
import { accountRecord, readMailChoices } from '../accounts/user-records.ts';
import { readAudit } from '../admin/read-audit.ts';
import type { UsersTable } from '../database/schema.ts';
import { formatTime } from '../http/format-time.ts';
import { findNotices } from '../notices/notice-routes.ts';
import type { Platform } from '../platform.ts';
import { listTokens } from '../tokens/token-routes.ts';
import { bytesEntry, jsonEntry, listEntry, textEntry } from './json-entries.ts';
import { type Entry, projectEntries } from './project-entries.ts';

const README = `This archive contains your data on this server.

account.json     your account: how you sign in, your profile, your role, your quotas and your choice of e-mail
avatar.webp      your picture, if you have one
tokens.json      your personal access tokens. Their secrets are not stored, so they are not here
notices.json     the notices in your dashboard, newest first
activity.json    what the audit trail has recorded of you, newest first

For each of your games there is a folder projects/SLUG, also for a deleted one that you can still restore:

project.json     the game, its page, its releases, its preview links without their addresses, its trusted publishers and its daily counts
media/           the images and trailers of the page, by their ids in project.json
releases/        the files of the releases, one folder for each version, if you have chosen a download with builds

Not in it: reports of your games and what administrators recorded about your account, which others wrote; tokens beyond the newest 1,000; what was removed.

Times are in UTC. Sizes are in bytes.
`;

/** Yields the entries of the user's export. `withBuilds` adds the files of the releases. */
export async function* accountEntries(
  platform: Platform,
  user: UsersTable,
  withBuilds: boolean,
): AsyncGenerator<Entry> {
  const { limits } = platform;
  const { uid } = user;
  const limit = String(limits.list_maximum);
  yield textEntry('README.txt', README);
  yield jsonEntry('account.json', describeAccount(platform, user));
  yield* avatarEntry(platform, uid);
  yield jsonEntry('tokens.json', await listTokens(platform, uid));
  yield listEntry('notices.json', async (cursor) => {
    const { notices, next_cursor } = await findNotices(platform, uid, { limit, cursor });
    return { items: notices, next_cursor };
  });
  yield listEntry('activity.json', async (cursor) => {
    const { records, next_cursor } = await readAudit(platform, { uid, limit, cursor });
    return { items: records.map((record) => withoutOthers(record, user)), next_cursor };
  });
  for (const id of await findGameIds(platform.db, uid)) {
    yield* projectEntries(platform, id, withBuilds);
  }
}

function describeAccount(platform: Platform, user: UsersTable): object {
  return {
    ...accountRecord(platform, user),
    mail: readMailChoices(user),
    issuer: user.issuer,
    subject: user.sub,
    name_edited: user.name_edited === 1,
    role_chosen_at: formatTime(user.role_chosen_at),
  };
}

async function* avatarEntry({ db }: Platform, uid: string): AsyncGenerator<Entry> {
  const avatar = await db
    .selectFrom('avatars')
    .select('content')
    .where('uid', '=', uid)
    .executeTakeFirst();
  if (avatar !== undefined) yield bytesEntry('avatar.webp', avatar.content);
}

/** What somebody did as an administrator was about others, whose names and reasons are not theirs any more without the role. */
function withoutOthers(record: AuditRecord, { uid, role }: UsersTable): AuditRecord {
  const isAct = /^(?:user|report)\.|\.(?:taken_down|restored)$/.test(record.action);
  if (!isAct || role === 'admin' || record.subject === uid) return record;
  return { ...record, subject_name: null, detail: null };
}
