// Signing in, the caller's own account, and the public view of users.
import { requestSchemas } from '@svc/contracts/platform';
import type { App } from '@svc/serve';
import type { Caller } from '../access/caller.ts';
import { failure } from '../failure.ts';
import { handleRoute } from '../handle-route.ts';
import { formatTime } from '../http/format-time.ts';
import type { Platform } from '../platform.ts';
import { editProfile } from './edit-profile.ts';
import { openSession } from './open-session.ts';
import { accountRecord, userRecord } from './user-records.ts';

export function identityRoutes(app: App, platform: Platform): void {
  const { OpenSession, EditProfile } = requestSchemas(platform.limits);
  handleRoute(app, platform, 'authConfig', async () => ({
    issuer: platform.issuer,
    client_id: platform.clientId,
  }));
  handleRoute(
    app,
    platform,
    'openSession',
    async ({ body }) => {
      const identity = await platform.verifyIdToken(body.id_token);
      const user = await openSession(platform, identity, body.role === 'developer');
      return { user: accountRecord(platform.addresses, user) };
    },
    { body: OpenSession },
  );
  handleRoute(app, platform, 'me', async ({ caller }) => ({
    user: accountRecord(platform.addresses, caller.user),
    auth: authRecord(caller),
  }));
  handleRoute(
    app,
    platform,
    'editProfile',
    async ({ caller, body }) => ({
      user: accountRecord(platform.addresses, await editProfile(platform, caller, body)),
    }),
    { body: EditProfile },
  );
  handleRoute(app, platform, 'user', async ({ params }) => {
    const user = await platform.db
      .selectFrom('users')
      .selectAll()
      .where('uid', '=', params.uid)
      .executeTakeFirst();
    if (user === undefined) throw failure('not_found', 'Cannot find this user');
    return userRecord(platform.addresses, user);
  });
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
