// POST /api/key and POST /api/key/remove. A key is stored in the OS keyring and is never returned
// in an answer.
import { DEFAULT_KEY_PROVIDER } from '@svc/contracts/agent';
import type { HandleRoute } from '../handle-route.ts';
import type { ProviderKeys } from './provider-keys.ts';

export function registerKeyRoutes(handleRoute: HandleRoute, keys: ProviderKeys): void {
  handleRoute('key', async ({ body: { key, provider = DEFAULT_KEY_PROVIDER } }) => {
    await keys.store(provider, key);
    return null;
  });
  handleRoute(
    'key_remove',
    async ({ body: { provider = DEFAULT_KEY_PROVIDER } }) => {
      await keys.remove(provider);
      return null;
    },
    { emptyBody: {} },
  );
}
