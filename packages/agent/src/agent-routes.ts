// Registers every route of the agent, and the headers that all its answers share.
import type { App } from '@svc/serve';
import { registerAnalysisRoutes } from './analysis/analysis-routes.ts';
import { routesOn } from './handle-route.ts';
import { registerLiveRoute } from './live/live-route.ts';
import { type PageFile, registerPageRoutes } from './page/page-routes.ts';
import { registerKeyRoutes } from './providers/key-routes.ts';
import type { ProviderKeys } from './providers/provider-keys.ts';
import { registerAssetRoutes } from './report/asset-routes.ts';
import type { Session } from './session/session.ts';
import { registerSessionRoutes } from './session/session-routes.ts';
import type { LastExports } from './trace/last-exports.ts';
import { registerNoteRoutes } from './trace/note-routes.ts';
import { registerTraceRoutes } from './trace/trace-routes.ts';
import { exclusiveSlot } from './work/exclusive-slot.ts';
import type { StartWorker } from './work/start-worker.ts';
import type { WorkerRole } from './worker-entry.ts';

export type RouteParts = {
  readonly keys: ProviderKeys;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly session: Session;
  readonly startWorker: StartWorker<WorkerRole>;
  readonly lastExports: LastExports;
  readonly dataDir: string;
  /** The most bytes that an imported trace may have. */
  readonly limitBytes: number;
  /** Milliseconds that a request may take. */
  readonly requestMs: number;
  readonly page: readonly PageFile[];
  /** `127.0.0.1:PORT` */
  readonly authority: () => string;
};

export function registerAgentRoutes(app: App, parts: RouteParts): void {
  const { session, startWorker } = parts;
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });
  const handleRoute = routesOn(app);
  const slot = exclusiveSlot();
  registerSessionRoutes(handleRoute, session);
  registerLiveRoute(handleRoute);
  registerTraceRoutes(handleRoute, { ...parts, slot });
  registerNoteRoutes(handleRoute, session);
  registerAssetRoutes(handleRoute, session, startWorker);
  registerAnalysisRoutes(handleRoute, { ...parts, slot });
  registerKeyRoutes(handleRoute, parts.keys);
  registerPageRoutes(app, parts.page, parts.authority);
}
