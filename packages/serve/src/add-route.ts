// Registers a route of a contract. Each server adds its own policy around the work.
import type { RouteFields } from '@svc/contracts/route';
import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { App } from './options.ts';

/** What a server adds to a row of its contract. */
export type RouteOptions = {
  readonly config?: FastifyContextConfig;
  /** The most bytes of a parsed body. */
  readonly bodyLimit?: number;
  /** Whether a route with GET also answers HEAD. */
  readonly exposeHeadRoute?: boolean;
  /** Replaces or completes the schemas of the row. */
  readonly schema?: FastifySchema;
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
};

/**
 * Registers a route with the URL, the method and the schemas of its row. The result of `work` is
 * sent with the row's status. If `work` sends the reply itself, it returns the reply.
 */
export function addRoute(
  app: App,
  row: RouteFields,
  { schema, ...options }: RouteOptions,
  work: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({
    method: row.method,
    url: row.path,
    schema: { ...schemaOf(row), ...schema },
    ...options,
    handler: async (request, reply) => {
      const answer = await work(request, reply);
      // If `work` has sent the reply, there is nothing left to send, even if the client has
      // disconnected.
      if (reply.sent || reply.raw.headersSent || answer === reply) return reply;
      reply.code(row.status);
      return row.answer === null ? reply.send() : reply.send(answer);
    },
  });
}

function schemaOf({ params, query, takes, body, status, answer }: RouteFields): FastifySchema {
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(takes === 'json' || takes === 'form' ? { body } : {}),
    ...(answer === null ? {} : { response: { [status]: answer } }),
  };
}
