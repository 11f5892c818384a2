// Whether this process is alive and ready, for proxies and supervisors.
import { type App, createHealth, type Health } from '@svc/serve';
import { sql } from 'kysely';
import { compareSchema } from '../database/migrate.ts';
import { routesOn } from '../handle-route.ts';
import type { Platform } from '../platform.ts';

/** Creates the checks of the database, of its schema and of the file store. */
export function createPlatformHealth({ db, database, files }: Platform): Health {
  const checkStore = async (): Promise<void> => files.ready?.();
  const checkSchema = async (): Promise<void> => {
    const { pending, incompatible } = await compareSchema(db, database.engine);
    if (pending.length + incompatible.length > 0) throw new Error('The schema is another one');
  };
  return createHealth({
    database: oneAtATime(() => sql`select 1`.execute(db)),
    schema: oneAtATime(checkSchema),
    store: oneAtATime(checkStore),
  });
}

/** A check that hangs is not started again, so that it occupies one thread or connection at most. */
function oneAtATime(check: () => Promise<unknown>): () => Promise<unknown> {
  let running: Promise<unknown> | null = null;
  return () => {
    running ??= check().finally(() => {
      running = null;
    });
    return running;
  };
}

export function healthRoutes(app: App, platform: Platform, health: Health): void {
  const handleRoute = routesOn(app, platform);
  const always = { always: true };
  handleRoute(
    'live',
    async ({ reply }) => {
      reply.header('cache-control', 'no-store');
      return { ok: true as const };
    },
    always,
  );
  handleRoute(
    'ready',
    async ({ reply }) => {
      const { ready, draining, failing } = await health.read();
      reply.header('cache-control', 'no-store');
      if (!ready) return reply.code(503).send({ ready, draining, failing });
      return { ready, draining, failing: [...failing] };
    },
    always,
  );
}
