// A game with a picture on a platform with outside identities: it is published through the API and played.
import assert from 'node:assert/strict';
import { createPlatformClient } from '@svc/contracts/platform';
import { type OutsideProvider, publishBuild } from '@svc/platform/testing';
import { ask } from '../cluster/ask.ts';
import { makePng } from '../collector/png.ts';

/** Sends a request for the path to a server that has the name of the host. */
export type Send = (host: string, path: string, init?: RequestInit) => Promise<Response>;

const API = 'api.games.example';

/** The settings of a platform that accepts the identities of the provider. */
export function settingsFor({ issuer }: Pick<OutsideProvider, 'issuer'>): Record<string, string> {
  return {
    SVC_OIDC_ISSUER: issuer,
    SVC_OIDC_AUDIENCE: 'svc-client',
    SVC_OIDC_CLI_CLIENT_ID: 'svc-client',
    SVC_DEVELOPER_SIGNUP: 'open',
  };
}

/** Sends the requests to a port of this machine without TLS. */
export function sendTo(port: number): Send {
  return (host, path, init) => ask(port, host, path, init);
}

/** Returns the name of the host of a game. */
export function gameHost(slug: string): string {
  return `${slug}.play.games.example`;
}

/** Publishes a game, and plays it. Returns its slug. */
export async function publishGame(
  send: Send,
  provider: Pick<OutsideProvider, 'sign'>,
): Promise<string> {
  const baseUrl = `https://${API}`;
  const idToken = await provider.sign({ sub: 'ada', name: 'Ada' });
  const client = createPlatformClient({
    baseUrl,
    send: (address, init) => send(API, address.slice(baseUrl.length), init),
    credential: () => idToken,
  });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  const { game } = await client.call('createProject', { body: { title: 'Cats' } });
  const page = new FormData();
  page.set('metadata', '{}');
  page.set('cover', new Blob([new Uint8Array(makePng(64, 64))]), 'cover.png');
  await client.call('updateStore', { params: { id: game.id }, form: page });
  await publishBuild(client, game.id, '1.0.0', { 'index.html': '<title>Cats</title>' });
  const answer = await send(gameHost(game.slug), '/');
  assert.match(await answer.text(), /<title>Cats/);
  return game.slug;
}
