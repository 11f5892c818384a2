// Answers a wrong method on an existing path with 405 and `Allow`. Fastify alone would answer 404.
import { METHODS } from './http-words.ts';
import type { App } from './options.ts';

/** The methods of each path with routes. */
export type MethodTable = Map<string, Set<string>>;

/**
 * Makes every method that Node can parse reach the router, and records the methods of each path.
 */
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

/**
 * Adds a route to every path for its other methods. The hook that reads `config.allow` refuses
 * them.
 */
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
