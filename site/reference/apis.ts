// The OpenAPI documents of both servers, and the pages of their operations.
import { describeAgentApi } from '@svc/contracts/agent';
import { openPlatform } from '@svc/platform/testing';
import { readVersion } from '../../scripts/version.ts';
import type { Api, Group } from './api-page.ts';

export const AGENT_GROUPS: readonly Group[] = [
  { name: 'operations', title: 'The dashboard’s operations', paths: ['/api'] },
];

export const PLATFORM_GROUPS: readonly Group[] = [
  {
    name: 'server',
    title: 'The server',
    paths: ['/openapi.json', '/healthz', '/livez', '/readyz', '/limits'],
  },
  { name: 'accounts', title: 'Accounts and sign-in', paths: ['/auth', '/me', '/users'] },
  { name: 'tokens', title: 'Tokens', paths: ['/tokens'] },
  { name: 'games', title: 'Games', paths: ['/projects', '/me/deleted-games'] },
  {
    name: 'releases',
    title: 'Releases',
    paths: ['releases', 'rollback', 'promote', 'publish', 'unpublish'].map(
      (name) => `/projects/{id}/${name}`,
    ),
  },
  { name: 'uploads', title: 'Uploads in parts', paths: ['/projects/{id}/uploads'] },
  { name: 'previews', title: 'Links to play a release', paths: ['/projects/{id}/previews'] },
  { name: 'publishers', title: 'Trusted publishers', paths: ['/projects/{id}/publishers'] },
  {
    name: 'catalog',
    title: 'The catalog',
    paths: ['/home', '/search', '/games', '/categories', '/devs'],
  },
  { name: 'administration', title: 'Administration', paths: ['/admin'] },
  { name: 'files', title: 'Files of games and media', paths: ['/play', '/media'] },
];

export function readAgentApi(): Api {
  return JSON.parse(JSON.stringify(describeAgentApi(readVersion())));
}

/** Starts a platform to ask for its document. */
export async function readPlatformApi(): Promise<Api> {
  await using platform = await openPlatform();
  const answer = await fetch(`${platform.baseUrl}/openapi.json`);
  if (!answer.ok) throw new Error(`GET /openapi.json answered ${answer.status}`);
  return (await answer.json()) as Api;
}
