// GET /api/live where it is no upgrade: somebody asked without a WebSocket.
import type { App } from '@svc/serve';
import { subprotocolRequired } from '../access/guard-request.ts';

export function registerLiveRoute(app: App): void {
  app.get('/api/live', { config: { uncounted: true } }, async () => {
    throw subprotocolRequired();
  });
}
