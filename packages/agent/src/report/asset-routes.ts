// GET /api/assets: the asset cost report of the retained trace, derived off the event loop and kept while the trace stands.
import { once } from 'node:events';
import type { AssetReport } from '@svc/contracts/agent';
import type { App } from '@svc/serve';
import { AssetReportSink } from '@svc/trace';
import type { Session } from '../session/session.ts';
import type { RetainedTrace } from '../trace/retained-trace.ts';
import type { TraceAnswer } from '../trace/trace-thread.ts';
import type { StartWorker } from '../work/start-worker.ts';

export function registerAssetRoutes(app: App, session: Session, startWorker: StartWorker): void {
  const reports = new AssetReports(startWorker);
  app.get('/api/assets', async () => reports.of(session.retained));
}

/** Derives one report at a time; who asks again for the same bytes gets the same one. */
class AssetReports {
  readonly #startWorker: StartWorker;
  #latest: { trace: RetainedTrace; bytes: number; report: Promise<AssetReport> } | null = null;

  constructor(startWorker: StartWorker) {
    this.#startWorker = startWorker;
  }

  async of(trace: RetainedTrace | null): Promise<AssetReport> {
    while (trace !== null) {
      const latest = this.#latest;
      if (latest !== null) {
        const report = await latest.report.catch(() => null);
        const same = latest.trace === trace && latest.bytes === trace.summary.bytes;
        if (same && report !== null) return report;
        if (this.#latest !== latest) continue; // somebody else has begun a newer one meanwhile
      }
      const { bytes } = trace.summary;
      const report = this.#derive(trace);
      this.#latest = { trace, bytes, report };
      return report;
    }
    return noAssets();
  }

  async #derive(trace: RetainedTrace): Promise<AssetReport> {
    const opened = trace.open();
    if (opened === null) return noAssets();
    using lease = opened.lease;
    const { descriptor } = lease;
    const worker = this.#startWorker({ role: 'assets', descriptor, bytes: opened.bytes });
    try {
      const [answer]: (TraceAnswer & { result?: AssetReport })[] = await once(worker, 'message');
      if (answer?.result === undefined) throw new Error('no asset report came of a checked trace');
      return answer.result;
    } finally {
      await worker.terminate();
    }
  }
}

function noAssets(): AssetReport {
  const { weights, budget_ms } = new AssetReportSink().report();
  return { assets: [], weights: { ...weights }, budget_ms };
}
