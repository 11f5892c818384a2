// GET /api/live for requests that are not a WebSocket upgrade.
import { subprotocolRequired } from '../access/guard-request.ts';
import type { HandleRoute } from '../handle-route.ts';

export function registerLiveRoute(handleRoute: HandleRoute): void {
  const refuse = async (): Promise<never> => {
    throw subprotocolRequired();
  };
  handleRoute('live', refuse, { uncounted: true });
}
