// `svc whoami`: shows the account and the credential that the platform sees.
import type { AuthKind } from '@svc/contracts/platform';
import { defineCommand } from '../../command-line/define-command.ts';
import type { Documents } from '../../documents.ts';
import { formatFields } from '../../output/text.ts';
import { API_OPTION, type FoundToken } from '../../platform/api-address.ts';
import type { IdentitySource } from '../../platform/find-identity.ts';
import { withPlatform } from '../../platform/with-platform.ts';

export const whoamiCommand = defineCommand({
  name: 'whoami',
  summary: 'Show your account and the token in use',
  options: [API_OPTION],
  document: 'whoami',
  async run(call) {
    await withPlatform(call, async ({ api, found, platform }) => {
      const { user, auth } = await platform.call('me', {});
      call.output.result({ api, user, auth, source: describeSource(found.source) }, () =>
        formatFields([
          ['name', user.name],
          ['uid', user.uid],
          ['role', user.role],
          ...(user.email === null ? [] : [['email', user.email] as const]),
          ['platform', api],
          ['credential', sourceText(found.source)],
          ...authFields(auth),
        ]),
      );
    });
  },
});

function describeSource(source: FoundToken['source']): Documents['whoami']['source'] {
  return { kind: source.kind, path: source.kind === 'file' ? source.path : null };
}

function sourceText(source: FoundToken['source']): string {
  if (source.kind === 'environment') return 'SVC_TOKEN';
  if (source.kind === 'file') return source.path;
  return `identity of this run (${nameOf(source.identity)})`;
}

function nameOf(identity: IdentitySource): string {
  return identity.kind === 'github' ? 'GitHub Actions' : identity.name;
}

function authFields(auth: AuthKind): (readonly [string, string])[] {
  if (auth.kind === 'session') return [['signed in by', 'ID token']];
  return [
    ['token', `${auth.name} (${auth.token_id})`],
    ['scopes', auth.scopes.join(', ')],
    ['projects', auth.projects === null ? 'all' : auth.projects.join(', ')],
    ['expires', auth.expires_at ?? 'never'],
  ];
}
