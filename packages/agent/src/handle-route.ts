// Registers rows of the contract. A feature supplies the handler. Credentials are checked before,
// for every path under /api.
import {
  AGENT_ROUTES,
  type AgentAnswer,
  type AgentRouteName,
  type AgentRouteRow,
  type AgentRoutes,
} from '@svc/contracts/agent';
import { type App, addRoute } from '@svc/serve';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';

/** The input of a handler. */
type Call<Name extends AgentRouteName> = {
  readonly body: Static<AgentRoutes[Name]['body']>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** Returns the answer of the contract, or the reply if the handler has sent one itself. */
type Handler<Name extends AgentRouteName> = (
  call: Call<Name>,
) => Promise<AgentAnswer<Name> | FastifyReply>;

/**
 * `emptyBody` replaces a missing JSON body. By default, a missing body is rejected. `bodyLimit` is the most bytes of a
 * JSON body, by default those of the server.
 */
type RouteExtras<Name extends AgentRouteName> = Pick<
  FastifyContextConfig,
  'late' | 'uncounted' | 'whileClosing'
> & { readonly emptyBody?: Static<AgentRoutes[Name]['body']>; readonly bodyLimit?: number };

/** Registers the named route. */
export type HandleRoute = <Name extends AgentRouteName>(
  name: Name,
  handler: Handler<Name>,
  extras?: RouteExtras<Name>,
) => void;

/** Returns the function that registers routes on this app. */
export function routesOn(app: App): HandleRoute {
  return (name, handler, { emptyBody, bodyLimit, ...config } = {}) => {
    const row: AgentRouteRow = AGENT_ROUTES[name];
    void app.register(async (scope) => {
      if (row.takes !== 'json') acceptAnyType(scope, row.takes);
      if (emptyBody !== undefined) {
        scope.addHook('preValidation', async (request) => {
          request.body ??= emptyBody;
        });
      }
      addRoute(
        scope,
        row,
        { config, ...(bodyLimit !== undefined && { bodyLimit }) },
        async (request, reply) =>
          // Fastify has validated the body against the schema of the row. TypeScript can't infer that
          // through the table.
          handler({ body: request.body, request, reply } as Call<typeof name>),
      );
    });
  };
}

/**
 * Accepts a body of any content type, even an invalid one. A stream is left to the handler. A body
 * that the route does not take is read as text.
 */
function acceptAnyType(scope: App, takes: 'none' | 'stream'): void {
  scope.addHook('onRequest', async ({ headers }) => {
    delete headers['content-type'];
  });
  scope.removeAllContentTypeParsers();
  if (takes === 'stream') scope.addContentTypeParser('*', (_request, _body, done) => done(null));
  else {
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body.toString());
    });
  }
}
