// Routes whose body is a form, as those of OAuth 2.0 and OpenID Connect (RFC 6749, appendix B).
import type { App } from '@svc/serve';
import { failure } from '../failure.ts';

/** Registers routes that take forms only, and whose answers are not stored (RFC 6749, section 5.1). */
export function takeForms(app: App, register: (scope: App) => void): void {
  app.register(async (scope) => {
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_request: unknown, body: string) => parseForm(body),
    );
    scope.addContentTypeParser('*', async () => {
      throw failure(
        'unsupported_media_type',
        'The body has the wrong type. Send it with Content-Type: application/x-www-form-urlencoded',
      );
    });
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    register(scope);
  });
}

/** Returns the parameters by name. An empty one counts as absent (RFC 6749, section 3.2). Throws `invalid_input` for a repeated one. */
function parseForm(body: string): Record<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (parameters.has(name)) {
      const message = `The parameter "${name}" is repeated. Send it once`;
      throw failure('invalid_input', message, { details: [{ path: `/${name}`, message }] });
    }
    parameters.set(name, value);
  }
  return Object.fromEntries([...parameters].filter(([, value]) => value !== ''));
}
