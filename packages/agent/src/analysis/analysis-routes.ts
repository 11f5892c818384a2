// POST /api/analyze: runs the offline rules over the retained trace, or asks a model provider once.
import { createHash } from 'node:crypto';
import type { Analysis, AnalyzeRequest } from '@svc/contracts/agent';
import { failure } from '../failure.ts';
import type { HandleRoute } from '../handle-route.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { ProviderKeys } from '../providers/provider-keys.ts';
import type { TraceHolder } from '../trace/retained-trace.ts';
import type { TraceRole } from '../trace/trace-thread.ts';
import type { ExclusiveSlot } from '../work/exclusive-slot.ts';
import type { StartWorker } from '../work/start-worker.ts';
import { untilAborted } from '../work/until-aborted.ts';
import { readAnalysis, requestOver } from './read-analysis.ts';

/** The message when the analysis takes longer than a request may. */
const TOO_LONG =
  'Cannot analyze the trace within the time limit of a request: it is too large. Save it to a file and run svc trace analyze FILE, which has no time limit';

export type AnalysisParts = {
  readonly session: TraceHolder;
  readonly slot: ExclusiveSlot;
  readonly keys: ProviderKeys;
  readonly startWorker: StartWorker<TraceRole>;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export function registerAnalysisRoutes(handleRoute: HandleRoute, parts: AnalysisParts): void {
  handleRoute('analyze', async ({ body, request }) => analyze(parts, body, request.abortSignal), {
    late: { too_long: TOO_LONG },
  });
}

async function analyze(
  { session, slot, keys, startWorker, env }: AnalysisParts,
  request: AnalyzeRequest,
  signal: AbortSignal,
): Promise<Analysis> {
  const trace = session.retained;
  if (trace === null) {
    throw failure('no_trace', 'Cannot analyze: nothing has been captured or imported yet');
  }
  using _ = slot.take();
  const chosen = request.offline ? null : keys.modelOf(request.model);
  const key =
    chosen === null ? null : await untilAborted(keys.keyFor(chosen.provider), signal, requestOver);
  const { budget_ms } = request;
  const { findings, summary } = await readAnalysis({ trace, budget_ms, startWorker, signal });
  const digest = createHash('sha256').update(summary).digest('hex');
  const about = { summary_bytes: Buffer.byteLength(summary), summary_sha256: digest };
  if (request.offline || chosen === null) {
    return { mode: 'offline', model: null, host: null, findings, text: null, ...about };
  }
  if (request.summary_sha256 !== undefined && request.summary_sha256 !== digest) {
    throw failure(
      'summary_changed',
      'Cannot send the summary: the trace has changed since it was shown; nothing was sent',
    );
  }
  const { provider, id: model } = chosen;
  const text = await askProvider({ provider, model, summary, key, signal, env });
  const host = new URL(provider.url).host;
  return { mode: 'provider', model: `${provider.id}/${model}`, host, findings: [], text, ...about };
}
