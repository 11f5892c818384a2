// GET /api/assets: the asset cost report of the retained trace, derived off the event loop and kept while the trace stands.
import { ApiError, type App } from '@svc/serve';
import type { TraceHolder } from '../trace/retained-trace.ts';
import type { TraceRole } from '../trace/trace-thread.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { AssetReports } from './asset-reports.ts';

/** What is said of a trace whose report takes longer than a request may. */
const TOO_LONG =
  'Cannot rank the assets in the time that a request has: the trace is too large. Save it to a file and run svc trace assets FILE, which has no deadline';

export function registerAssetRoutes(
  app: App,
  session: TraceHolder,
  startWorker: StartWorker<TraceRole>,
): void {
  const reports = new AssetReports(startWorker);
  app.get('/api/assets', { config: { late: { too_long: TOO_LONG } } }, async (request) => {
    try {
      return await reports.of(session.retained, request.cut);
    } catch (error) {
      if (!request.cut.aborted) throw error;
      // The time is up and the refusal is sent, or the client has gone: nobody reads this.
      throw new ApiError('deadline_exceeded', TOO_LONG, { cause: error });
    }
  });
}
