// GET /api/status, POST /api/start, POST /api/off.
import { failure } from '../failure.ts';
import type { HandleRoute } from '../handle-route.ts';
import type { Session } from './session.ts';

export function registerSessionRoutes(handleRoute: HandleRoute, session: Session): void {
  handleRoute('status', async () => session.status());
  handleRoute('start', async ({ request }) => {
    refuseBody(request.body);
    await session.start();
    return session.status();
  });
  // Not counted against the cap, so that a busy session can be ended.
  handleRoute('off', () => session.end('off'), { uncounted: true });
}

/** A client can't choose the target. The command line sets which process may be captured. */
function refuseBody(body: unknown): void {
  const text = typeof body === 'string' ? body.trim() : '';
  if (text === '' || /^\{\s*\}$/.test(text)) return;
  throw failure(
    'unexpected_body',
    'Cannot start with a body: the process to capture is the one that the command line authorized',
  );
}
