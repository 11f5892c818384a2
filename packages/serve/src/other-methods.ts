// A path that exists answers a method that does not fit with 405 and `Allow`; Fastify alone would say 404.
import { METHODS } from './http-words.ts';
import type { App } from './options.ts';

/** The methods of each path, as its routes are registered. */
export type MethodTable = Map<string, Set<string>>;

/** Lets every method that Node can parse reach the router, and writes down which path takes which. */
export function collectMethods(app: App): MethodTable {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  const table: MethodTable = new Map();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.allow !== undefined) return;
    const methods = table.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    table.set(url, methods);
  });
  return table;
}

/** Gives every path a route for the methods that do not fit; the hook that reads `config.allow` refuses them. */
export function refuseOtherMethods(app: App, table: MethodTable): void {
  for (const [url, methods] of [...table]) {
    const others = app.supportedMethods.filter((method) => !methods.has(method));
    app.route({
      url,
      method: others,
      config: { allow: [...methods].sort() },
      schema: { hide: true },
      handler: (_request, reply) => reply.send(),
    });
  }
}
