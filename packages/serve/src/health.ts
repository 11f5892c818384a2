// Whether a server is alive, whether it is ready for requests, and the announcement that it is about to end.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from './options.ts';

/** How long a check may take. */
const CHECK_MS = 2_000;
/** How long the result of the checks is used again, so that many questions cost one round of checks. */
const FRESH_MS = 1_000;
/** If the last question is older, no proxy watches this server. */
const WATCHED_MS = 60_000;
/** Proxies take a server out of use after two or three refusals. */
const REFUSALS = 3;

/** The answer to `GET /readyz`. `failing` has the names of the checks that failed or took too long. */
type Readiness = {
  readonly ready: boolean;
  readonly draining: boolean;
  readonly failing: readonly string[];
};

export type Health = {
  /** Runs the checks. While the server drains, it is not ready, and nothing is checked. */
  read(): Promise<Readiness>;
  /**
   * Makes the server not ready. Resolves when proxies have noticed: after three more questions or `mostMs`, or at once if
   * no one has asked for a minute. Until then, the server should handle requests as usual.
   */
  drain(mostMs: number): Promise<void>;
};

/** Creates the health of a server. A check rejects if the server can't handle requests without what it checks. */
export function createHealth(
  checks: Readonly<Record<string, () => Promise<unknown>>>,
  now: () => number = () => performance.now(),
): Health {
  const announced = Promise.withResolvers<void>();
  let askedAt = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  let draining = false;
  let last: { readonly until: number; readonly failing: Promise<string[]> } | null = null;
  const findFailing = (): Promise<string[]> => {
    if (last === null || now() >= last.until) {
      last = { until: now() + FRESH_MS, failing: runChecks(checks) };
    }
    return last.failing;
  };
  return {
    async read() {
      askedAt = now();
      const failing = draining ? [] : await findFailing();
      // It may have begun to drain during the checks.
      if (draining && ++refusals === REFUSALS) announced.resolve();
      return { ready: !draining && failing.length === 0, draining, failing };
    },
    async drain(mostMs) {
      draining = true;
      if (now() - askedAt > WATCHED_MS) return;
      const timer = setTimeout(announced.resolve, mostMs);
      await announced.promise;
      clearTimeout(timer);
    },
  };
}

/**
 * Ends a server within `mostMs`. It is not ready at once, and handles requests until proxies have noticed, for at most half
 * of the time. Then it stops listening, and requests that are running have the rest of the time.
 */
export async function drainAndClose(
  health: Health,
  close: (graceMs: number) => Promise<void>,
  mostMs: number,
): Promise<void> {
  const startedAt = performance.now();
  await health.drain(mostMs / 2);
  await close(Math.max(0, mostMs - (performance.now() - startedAt)));
}

/** The names of the checks that fail, in the order of the checks. */
async function runChecks(
  checks: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await passes(check)) ? [] : [name])),
  );
  return results.flat();
}

async function passes(check: () => Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, CHECK_MS, false);
  const passed = check().then(
    () => true,
    () => false,
  );
  const result = await Promise.race([passed, late.promise]);
  clearTimeout(timer);
  return result;
}

/**
 * Registers `GET /livez`, which is 200 as long as the process answers, and `GET /readyz`, which is 503 unless the server
 * is ready.
 */
export function addHealthRoutes(app: App, health: Health): void {
  const add = (url: string, handler: (reply: FastifyReply) => Promise<unknown>): void => {
    app.route({
      url,
      method: ['GET', 'HEAD'],
      config: { uncounted: true, whileClosing: true },
      handler: (_request: FastifyRequest, reply) =>
        handler(reply.header('cache-control', 'no-store')),
    });
  };
  add('/livez', async () => ({ ok: true }));
  add('/readyz', async (reply) => {
    const readiness = await health.read();
    reply.code(readiness.ready ? 200 : 503);
    return readiness;
  });
}
