// `security.txt` on the address of the API. It is no part of the contract.
import { type App, SECURITY_TEXT_PATH, securityText } from '@svc/serve';
import type { Platform } from '../platform.ts';

/** Registers the route, if the operator has named a contact. */
export function securityRoute(app: App, { securityContacts, addresses, now }: Platform): void {
  if (securityContacts.length === 0) return;
  app.get(
    SECURITY_TEXT_PATH,
    { exposeHeadRoute: true, schema: { hide: true } },
    async (_request, reply) => {
      const { origin } = new URL(addresses.publicUrl);
      reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache');
      return reply.send(securityText(securityContacts, origin, now()));
    },
  );
}
