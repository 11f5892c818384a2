// Routes for sessions, the caller's own account, and public profiles.
import { type CallAnswer, requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import type { Caller } from '../access/caller.ts';
import { failure } from '../failure.ts';
import { routesOn } from '../handle-route.ts';
import { formatTime } from '../http/format-time.ts';
import { takeForms } from '../http/take-forms.ts';
import { countOpenReports, countUnread } from '../notices/count-waiting.ts';
import type { Platform } from '../platform.ts';
import { deleteAccount } from './delete-account.ts';
import { deviceOf } from './device.ts';
import { editProfile } from './edit-profile.ts';
import { endOwnSessions, endProviderSession } from './end-sessions.ts';
import { openSession } from './open-session.ts';
import { accountRecord, userRecord } from './user-records.ts';

export function accountRoutes(app: App, platform: Platform): void {
  const handleRoute = routesOn(app, platform);
  const { EditProfile } = requestSchemas(platform.limits);
  handleRoute('authConfig', async () => authConfig(platform));
  handleRoute('openSession', async ({ body, count }) => {
    const identity = await platform.verifyIdToken(body.id_token);
    const user = await openSession(platform, identity, {
      idToken: body.id_token,
      wantsDeveloper: body.role === 'developer',
      device: body.device,
      signUp: (create) => count.daily('sign_ups', create),
    });
    return { user: accountRecord(platform, user), device: deviceOf(platform, user) };
  });
  takeForms(app, (scope) => {
    routesOn(scope, platform)('endProviderSession', async ({ body }) => {
      await endProviderSession(platform, await platform.verifyLogoutToken(body.logout_token));
      return { ok: true };
    });
  });
  handleRoute('endOwnSessions', async ({ caller }) => {
    await endOwnSessions(platform, caller);
    return null;
  });
  handleRoute('me', async ({ caller }) => {
    const user = accountRecord(platform, caller.user);
    // Everybody who can start a run of a trusted CI can ask.
    const isRun = caller.kind === 'pat' && caller.token.publisher_id !== null;
    return {
      user: { ...user, ...(isRun && { email: null }), ...(await countWaiting(platform, caller)) },
      auth: authRecord(caller),
    };
  });
  handleRoute(
    'editProfile',
    async ({ caller, body }) => ({
      user: accountRecord(platform, await editProfile(platform, caller, body)),
    }),
    { body: EditProfile },
  );
  handleRoute('deleteAccount', async ({ caller }) => {
    await deleteAccount(platform, caller);
    return null;
  });
  handleRoute('user', async ({ params }) => {
    const user = await platform.db
      .selectFrom('users')
      .selectAll()
      .where('uid', '=', params.uid)
      .where('suspended_at', 'is', null)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (user === undefined) throw failure('not_found', 'Cannot find this user');
    return userRecord(platform.addresses, user);
  });
}

function authConfig({ providers }: Platform): CallAnswer<'authConfig'> {
  const [first] = providers;
  return {
    issuer: first.issuer,
    client_id: first.clientId,
    providers: providers.map(({ issuer, name, clientId, cliClientId, offlineAccess }) => ({
      ...{ issuer, name, client_id: clientId, cli_client_id: cliClientId },
      offline_access: offlineAccess,
    })),
  };
}

/** What waits for the user. Programs with a token do not need it. */
async function countWaiting({ db }: Platform, { kind, user }: Caller) {
  if (kind !== 'session') return {};
  return {
    unread_notices: await countUnread(db, user.uid),
    ...(user.role === 'admin' && { open_reports: await countOpenReports(db) }),
  };
}

function authRecord(caller: Caller) {
  if (caller.kind === 'session') return { kind: 'session' as const };
  const { token } = caller;
  return {
    kind: 'pat' as const,
    token_id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    projects: token.projects === null ? null : [...token.projects],
    expires_at: formatTime(token.expires_at),
  };
}
