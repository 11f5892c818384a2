// GET /api/live for requests that are not a WebSocket upgrade.
import type { App } from '@svc/serve';
import { subprotocolRequired } from '../access/guard-request.ts';

export function registerLiveRoute(app: App): void {
  app.get('/api/live', { config: { uncounted: true } }, async () => {
    throw subprotocolRequired();
  });
}
