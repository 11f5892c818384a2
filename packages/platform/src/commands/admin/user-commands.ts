// `svc-platform admin user …`: find users, and change what they may do.
import { formatNumber } from '@svc/contracts/faults';
import { type AdminUser, type EditUser, Role, requestSchemas } from '@svc/contracts/platform';
import {
  editUser,
  endSessions,
  restoreUser,
  revokeTokens,
  suspendUser,
} from '../../admin/change-user.ts';
import { deleteUser } from '../../admin/delete-user.ts';
import { adminUserRecords, findUser, findUsers, tokensOf } from '../../admin/find-users.ts';
import type { UsersTable } from '../../database/schema.ts';
import {
  type AdminCommand,
  type Call,
  checkBody,
  describeRestriction,
  naming,
  printFields,
  printRows,
  readCount,
  readList,
  shortTime,
  userOf,
} from './admin-command.ts';

const DEFAULT = 'default';
const ROLE_NAMES = { player: 'a player', developer: 'a developer', admin: 'an administrator' };

export const userCommands: readonly AdminCommand[] = [
  {
    name: 'user list',
    takes: [],
    optionHelp: '[--search TEXT] [--role ROLE] [--suspended] [--limit N]',
    options: {
      search: { type: 'string' },
      role: { type: 'string' },
      suspended: { type: 'boolean' },
      limit: { type: 'string' },
    },
    run: listUsers,
  },
  {
    name: 'user show',
    takes: ['USER'],
    optionHelp: '',
    options: {},
    run: async (call) => showUser(call, await wantedUser(call)),
  },
  {
    name: 'user role',
    takes: ['USER', 'ROLE'],
    optionHelp: '',
    options: {},
    run: giveRole,
  },
  {
    name: 'user quota',
    takes: ['USER'],
    optionHelp: '[--projects N|default] [--project-bytes N|default]',
    options: { projects: { type: 'string' }, 'project-bytes': { type: 'string' } },
    run: setQuota,
  },
  {
    name: 'user suspend',
    takes: ['USER'],
    optionHelp: '[--reason TEXT]',
    options: { reason: { type: 'string' } },
    run: suspend,
  },
  {
    name: 'user restore',
    takes: ['USER'],
    optionHelp: '',
    options: {},
    run: restore,
  },
  {
    name: 'user end-sessions',
    takes: ['USER'],
    optionHelp: '',
    options: {},
    run: async (call) => {
      const user = await endSessions(call.admin, (await wantedUser(call)).uid);
      await report(call, user, `Ended all sessions of ${naming(user)}. They can sign in again`);
    },
  },
  {
    name: 'user tokens',
    takes: ['USER'],
    optionHelp: '[--revoke ID | --revoke-all]',
    options: { revoke: { type: 'string' }, 'revoke-all': { type: 'boolean' } },
    run: tokens,
  },
  {
    name: 'user delete',
    takes: ['USER'],
    optionHelp: '--yes',
    options: { yes: { type: 'boolean' } },
    run: deleteAccount,
  },
];

function wantedUser({ admin, words }: Call): Promise<UsersTable> {
  return userOf(admin, words[0] ?? '');
}

async function listUsers(call: Call): Promise<void> {
  const { admin, text, has, json, print } = call;
  const role = text('role');
  const filter = {
    limit: String(admin.limits.list_maximum),
    ...(text('search') === undefined ? {} : { q: text('search') }),
    ...(role === undefined ? {} : { role: readRole(role) }),
    ...(has('suspended') ? { suspended: 'true' as const } : {}),
  };
  const rows: string[][] = [];
  const { isCut } = await readList(
    call,
    async (cursor) => {
      const { users, next_cursor } = await findUsers(admin, { ...filter, cursor });
      return { entries: users, next_cursor };
    },
    (user) => {
      if (json) print(JSON.stringify(user));
      else rows.push(rowOf(user));
    },
  );
  if (json) return;
  const titles = ['ID', 'NAME', 'E-MAIL', 'ROLE', 'PROJECTS', 'STATE'];
  printRows(call, titles, rows, { isCut, nothing: 'No user was found' });
}

function rowOf(user: AdminUser): string[] {
  const { uid, name, email, role, projects, suspended } = user;
  const state = suspended === null ? '' : 'suspended';
  return [uid, name, email ?? '', role, formatNumber(projects), state];
}

async function showUser(call: Call, { uid }: UsersTable): Promise<void> {
  const { admin, json, print } = call;
  const [user] = await adminUserRecords(admin, [await findUser(admin, uid)]);
  if (user === undefined) throw new Error('Cannot show the user');
  if (json) return print(JSON.stringify(user));
  const { limits } = admin;
  const { projects, project_bytes } = user.quota;
  printFields(call, [
    ['id', user.uid],
    ['name', user.name],
    ['e-mail', user.email],
    ['role', user.role],
    ['signs in at', user.issuer],
    ['as', user.subject],
    ['since', shortTime(user.created_at)],
    ['projects', formatNumber(user.projects)],
    ['may have', ofQuota(projects, limits.projects_per_developer, (n) => count(n, 'project'))],
    ['each with', ofQuota(project_bytes, limits.project_bytes, (n) => `${formatNumber(n)} bytes`)],
    ['suspended', describeRestriction(user.suspended)],
    ['sessions ended', user.sessions_ended_at === null ? null : shortTime(user.sessions_ended_at)],
  ]);
}

/** Formats a quota of the user, or the limit of the server in its place. */
function ofQuota(own: number | null, limit: number, format: (most: number) => string): string {
  return own === null ? `${format(limit)} (default)` : format(own);
}

/** Prints the outcome of an act: a sentence, or the changed user as JSON. */
async function report(call: Call, user: UsersTable, sentence: string): Promise<void> {
  if (call.json) await showUser(call, user);
  else call.print(sentence);
}

function readRole(text: string): keyof typeof ROLE_NAMES {
  const role = Role.enum.find((one) => one === text);
  if (role !== undefined) return role;
  throw new Error(`There is no role "${text}". Roles: ${Role.enum.join(', ')}`);
}

async function giveRole(call: Call): Promise<void> {
  const role = readRole(call.words[1] ?? '');
  const user = await editUser(call.admin, (await wantedUser(call)).uid, { role });
  await report(call, user, `${naming(user)} is now ${ROLE_NAMES[role]}`);
}

async function setQuota(call: Call): Promise<void> {
  const { admin, text } = call;
  const [projects, bytes] = [text('projects'), text('project-bytes')];
  if (projects === undefined && bytes === undefined) {
    throw new Error('Name the quota: --projects N, --project-bytes N, or "default" instead of N');
  }
  const quota: NonNullable<EditUser['quota']> = {
    ...(projects === undefined ? {} : { projects: readQuota('projects', projects) }),
    ...(bytes === undefined ? {} : { project_bytes: readQuota('project-bytes', bytes) }),
  };
  checkBody(requestSchemas(admin.limits).EditUser, { quota });
  const user = await editUser(admin, (await wantedUser(call)).uid, { quota });
  const { quota_projects, quota_project_bytes } = user;
  const most = count(quota_projects ?? admin.limits.projects_per_developer, 'project');
  const each = formatNumber(quota_project_bytes ?? admin.limits.project_bytes);
  await report(call, user, `${naming(user)} may have ${most} with ${each} bytes each`);
}

function readQuota(option: string, text: string): number | null {
  return text === DEFAULT ? null : readCount(option, text);
}

async function suspend(call: Call): Promise<void> {
  const reason = call.text('reason') ?? null;
  checkBody(requestSchemas(call.admin.limits).SuspendUser, { reason });
  const { user, games } = await suspendUser(call.admin, (await wantedUser(call)).uid, reason);
  const hidden = games.filter(({ owner_status }) => owner_status === 'published').length;
  const what = `Their sessions have ended, their tokens are rejected, and ${count(hidden, 'published game')} ${hidden === 1 ? 'is' : 'are'} hidden`;
  await report(call, user, `Suspended ${naming(user)}. ${what}`);
}

async function restore(call: Call): Promise<void> {
  const before = await wantedUser(call);
  const { user, games } = await restoreUser(call.admin, before.uid);
  if (before.suspended_at === null) {
    return report(call, user, `${naming(user)} is not suspended`);
  }
  const shown = games.filter(({ status }) => status === 'published').length;
  const what = `They can sign in again, tokens that were not revoked work again, and ${count(shown, 'game')} ${shown === 1 ? 'is' : 'are'} public`;
  await report(call, user, `Lifted the suspension of ${naming(user)}. ${what}`);
}

async function tokens(call: Call): Promise<void> {
  const { admin, text, has } = call;
  const user = await wantedUser(call);
  const one = text('revoke');
  if (one !== undefined && has('revoke-all')) {
    throw new Error('Use either --revoke or --revoke-all');
  }
  if (one === undefined && !has('revoke-all')) return await listTokens(call, user);
  const revoked = await revokeTokens(admin, user.uid, one ?? null);
  if (call.json) return call.print(JSON.stringify({ revoked }));
  call.print(`Revoked ${count(revoked, 'token')} of ${naming(user)}`);
}

async function listTokens(call: Call, user: UsersTable): Promise<void> {
  const { admin, json, print } = call;
  const listed = await tokensOf(admin, user.uid);
  if (json) {
    for (const token of listed) print(JSON.stringify(token));
    return;
  }
  const rows = listed.map((token) => [
    token.id,
    token.name,
    token.scopes.join(', '),
    token.last_used_at === null ? 'never' : shortTime(token.last_used_at),
    stateOf(token, admin.now()),
  ]);
  const titles = ['ID', 'NAME', 'SCOPES', 'LAST USED', 'STATE'];
  printRows(call, titles, rows, { isCut: false, nothing: `${naming(user)} has no tokens` });
}

async function deleteAccount(call: Call): Promise<void> {
  const { admin, has, json, print } = call;
  const user = await wantedUser(call);
  if (!has('yes')) {
    const [record] = await adminUserRecords(admin, [user]);
    const projects = count(record?.projects ?? 0, 'project');
    throw new Error(
      `Deleting ${naming(user)} also deletes ${projects} with all files, and cannot be undone. To delete the account, add --yes`,
    );
  }
  const { uid } = user;
  const games = await deleteUser(admin, uid);
  if (json) return print(JSON.stringify({ uid, projects: games.length }));
  const what = `Their tokens have stopped working. A running server removes the files of ${count(games.length, 'project')} within a minute, or the next one that starts`;
  print(`Deleted the account of ${naming(user)}. ${what}`);
}

function stateOf(
  { revoked_at, expires_at }: Awaited<ReturnType<typeof tokensOf>>[number],
  now: number,
): string {
  if (revoked_at !== null) return `revoked ${shortTime(revoked_at)}`;
  if (expires_at !== null && Date.parse(expires_at) <= now) return 'expired';
  return expires_at === null ? 'valid' : `valid until ${shortTime(expires_at)}`;
}

function count(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`;
}
