// GET /api/status, POST /api/start, POST /api/off.
import { ApiError, type App } from '@svc/serve';
import type { Session } from './session.ts';

export function registerSessionRoutes(app: App, session: Session): void {
  app.get('/api/status', async () => session.status());

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body.toString());
    });
    scope.post('/api/start', { onRequest: anyContentType }, async (request) => {
      refuseBody(request.body);
      await session.start();
      return session.status();
    });
    // Not counted against the cap, so that a busy session can be ended.
    const off = { onRequest: anyContentType, config: { uncounted: true } };
    scope.post('/api/off', off, async () => session.end('off'));
  });
}

async function anyContentType(request: { headers: Record<string, unknown> }): Promise<void> {
  delete request.headers['content-type'];
}

/** A client can't choose the target. The command line sets which process may be captured. */
function refuseBody(body: unknown): void {
  const text = typeof body === 'string' ? body.trim() : '';
  if (text === '' || /^\{\s*\}$/.test(text)) return;
  throw new ApiError(
    'unexpected_body',
    'Cannot start with a body: the process to capture is the one that --pid authorized',
  );
}
