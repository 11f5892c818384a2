// Publishes a game for the platform's benchmarks.
import { createPlatformClient } from '@svc/contracts/platform';
import { type PlatformProcess, publishBuild, signIn } from '@svc/platform/testing';

/** Signs in, publishes the files with a small page, and returns the slug of the game. */
export async function publishGame(
  server: PlatformProcess,
  files: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const idToken = await signIn(server.issuer, 'svc-dev', 'Bench');
  const client = createPlatformClient({
    baseUrl: server.baseUrl,
    send: fetch,
    credential: () => idToken,
  });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  const { game } = await client.call('createProject', { body: { title: 'Bench' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x', ...files });
  return game.slug;
}
