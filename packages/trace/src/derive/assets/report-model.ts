// The asset cost report of a model that is in memory.
import type { TraceModel } from '../../model/trace-model.ts';
import { DEFAULT_BUDGET_MS } from '../frames/frame-stats.ts';
import { type AssetReport, AssetReportSink } from './asset-report.ts';

/** The asset cost report of a model. It equals the report of the trace's bytes. Lists the first `most` assets. */
export function assetReportOfModel(
  model: TraceModel,
  budget_ms: number = DEFAULT_BUDGET_MS,
  most: number = Number.POSITIVE_INFINITY,
): AssetReport {
  const sink = new AssetReportSink(budget_ms);
  sink.header(model.header);
  for (const asset of model.assets) sink.record(asset);
  for (const release of model.releases) sink.record(release);
  for (const loss of model.losses) sink.record(loss);
  for (const { source, start_ms, duration_ms } of model.frames) {
    for (const [i, duration] of duration_ms.entries()) {
      if (duration > budget_ms) {
        sink.record({ type: 'frames', t: start_ms[i] ?? 0, source, duration_ms: [duration] });
      }
    }
  }
  return sink.report(most);
}
