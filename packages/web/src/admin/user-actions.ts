// The acts on a user's page.
import type { EditUser } from '@svc/contracts/platform';
import type { DeveloperVisit } from '../dashboard/member.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam } from '../visit/visit.ts';
import { act, field, rejected } from './act.ts';
import { showUser } from './user-page.ts';
import { ROLES } from './users-page.ts';

const MIB = 1024 * 1024;

export function giveRole(visit: DeveloperVisit): Promise<Answer> {
  const role = ROLES.find(([id]) => id === field(visit, 'role'))?.[0];
  if (role === undefined) return rejected(visit, showUser, 'Choose a role.', 'role');
  return act(visit, showUser, 'role', () =>
    visit.memberApi.call('editUser', { params: userOf(visit), body: { role } }),
  );
}

/** Sets both quotas. An empty field is the limit of the server. */
export function setQuota(visit: DeveloperVisit): Promise<Answer> {
  const projects = readNumber(field(visit, 'projects'));
  const mib = readNumber(field(visit, 'project_mib'));
  if (projects === undefined || (projects !== null && !Number.isInteger(projects))) {
    return rejected(
      visit,
      showUser,
      'The number of games is not a whole number from 0.',
      'projects',
    );
  }
  if (mib === undefined) {
    return rejected(
      visit,
      showUser,
      'The space for each game is not a number from 0.',
      'project_mib',
    );
  }
  const quota: NonNullable<EditUser['quota']> = {
    projects,
    project_bytes: mib === null ? null : Math.round(mib * MIB),
  };
  return act(visit, showUser, 'quota', () =>
    visit.memberApi.call('editUser', { params: userOf(visit), body: { quota } }),
  );
}

export function suspendUser(visit: DeveloperVisit): Promise<Answer> {
  const reason = field(visit, 'reason') || null;
  return act(visit, showUser, 'suspended', () =>
    visit.memberApi.call('suspendUser', { params: userOf(visit), body: { reason } }),
  );
}

export function restoreUser(visit: DeveloperVisit): Promise<Answer> {
  return act(visit, showUser, 'restored', () =>
    visit.memberApi.call('restoreUser', { params: userOf(visit) }),
  );
}

/** Ends all sessions of the user. Administrators who end their own must sign in again, too. */
export function endSessions(visit: DeveloperVisit): Promise<Answer> {
  return act(visit, showUser, 'sessions', () =>
    visit.memberApi.call('endSessions', { params: userOf(visit) }),
  );
}

export function revokeToken(visit: DeveloperVisit): Promise<Answer> {
  const params = { ...userOf(visit), token: field(visit, 'token') };
  return act(visit, showUser, 'token', () => visit.memberApi.call('revokeUserToken', { params }));
}

export function revokeTokens(visit: DeveloperVisit): Promise<Answer> {
  return act(visit, showUser, 'tokens', () =>
    visit.memberApi.call('revokeUserTokens', { params: userOf(visit) }),
  );
}

function userOf(visit: DeveloperVisit): { uid: string } {
  return { uid: pathParam(visit, 'uid') };
}

/** Parses a number from 0. Null for an empty text, undefined for another one. */
function readNumber(text: string): number | null | undefined {
  if (text === '') return null;
  return /^\d{1,9}(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
