// GET /api/assets: the asset cost report of the retained trace. It is derived in a thread and kept
// until the trace changes.
import type { AssetReport } from '@svc/contracts/agent';
import { failure } from '../failure.ts';
import type { HandleRoute } from '../handle-route.ts';
import type { TraceHolder } from '../trace/retained-trace.ts';
import type { TraceRole } from '../trace/trace-thread.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { AssetReports } from './asset-reports.ts';

/** The message when the report takes longer than a request may. */
const TOO_LONG =
  'Cannot rank the assets within the time limit of a request: the trace is too large. Save it to a file and run svc trace assets FILE, which has no time limit';

export function registerAssetRoutes(
  handleRoute: HandleRoute,
  session: TraceHolder,
  startWorker: StartWorker<TraceRole>,
): void {
  const reports = new AssetReports(startWorker);
  const report = async (signal: AbortSignal): Promise<AssetReport> => {
    try {
      return await reports.of(session.retained, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      // The refusal has been sent or the client has gone, so this error is not seen.
      throw failure('deadline_exceeded', TOO_LONG, { cause: error });
    }
  };
  handleRoute('assets', ({ request }) => report(request.abortSignal), {
    late: { too_long: TOO_LONG },
  });
}
