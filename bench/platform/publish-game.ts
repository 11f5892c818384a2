// Publishes a game for the platform's benchmarks.
import { type PlatformProcess, publishBuild, signInDeveloper } from '@svc/platform/testing';

/** Signs in, publishes the files with a small page, and returns the slug of the game. */
export async function publishGame(
  server: PlatformProcess,
  files: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const { client } = await signInDeveloper(server, 'Bench');
  const { game } = await client.call('createProject', { body: { title: 'Bench' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x', ...files });
  return game.slug;
}
