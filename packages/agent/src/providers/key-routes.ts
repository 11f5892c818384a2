// POST /api/key and POST /api/key/remove. A key is stored in the OS keyring and is never returned
// in an answer.
import { AGENT_REQUESTS, DEFAULT_KEY_PROVIDER } from '@svc/contracts/agent';
import type { App } from '@svc/serve';
import type { ProviderKeys } from './provider-keys.ts';

export function registerKeyRoutes(app: App, keys: ProviderKeys): void {
  app.post('/api/key', { schema: { body: AGENT_REQUESTS.key } }, async (request, reply) => {
    const { key, provider = DEFAULT_KEY_PROVIDER } = request.body;
    await keys.store(provider, key);
    return reply.code(204).send();
  });
  app.post(
    '/api/key/remove',
    { preValidation: emptyAsObject, schema: { body: AGENT_REQUESTS.key_remove } },
    async (request, reply) => {
      await keys.remove(request.body.provider ?? DEFAULT_KEY_PROVIDER);
      return reply.code(204).send();
    },
  );
}

/** Replaces a missing body with an empty object. */
async function emptyAsObject(request: { body: unknown }): Promise<void> {
  request.body ??= {};
}
