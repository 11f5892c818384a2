// A developer of a platform that runs as its own process.
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import { signIn } from './sign-in.ts';

export type Developer = { readonly client: PlatformClient; readonly idToken: string };

/** Signs in at the provider of --dev, and opens a developer session. */
export async function signInDeveloper(
  { baseUrl, issuer }: { readonly baseUrl: string; readonly issuer: string },
  name: string,
): Promise<Developer> {
  const idToken = await signIn(issuer, 'svc-dev', name);
  const client = createPlatformClient({ baseUrl, send: fetch, credential: () => idToken });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  return { client, idToken };
}
