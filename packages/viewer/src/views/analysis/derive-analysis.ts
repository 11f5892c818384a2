// The offline analysis of a trace, and the summary that can be sent to a provider. Pure.
import {
  analyzeTrace,
  describeLeftOut,
  type Finding,
  summarizeTrace,
  type TraceModel,
} from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';

export type AnalysisView = {
  /** Worst first, by the page's frame budget. */
  readonly findings: readonly Finding[];
  /** The same bytes that the agent sends for this trace and budget. */
  readonly summary: {
    readonly text: string;
    readonly bytes: number;
    /**
     * In lower-case hex. The agent sends nothing if its own digest differs. Empty in a page that the browser does not trust
     * with cryptography, such as one from another machine without HTTPS. Such a page has no agent.
     */
    readonly sha256: string;
    /** A sentence that states what the summary leaves out. */
    readonly leftOut: string;
  };
};

export type AnalysisCalls = {
  /** Returns the findings of the offline rules, and the summary that can be sent to a provider. */
  readonly analysis: Call<{ readonly slot: Slot; readonly budgetMs: number }, AnalysisView>;
};

export async function deriveAnalysis(model: TraceModel, budgetMs: number): Promise<AnalysisView> {
  const { text, bytes, left_out } = summarizeTrace(model, { budget_ms: budgetMs });
  return {
    findings: analyzeTrace(model, { budget_ms: budgetMs }),
    summary: { text, bytes, sha256: await sha256Of(text), leftOut: describeLeftOut(left_out) },
  };
}

async function sha256Of(text: string): Promise<string> {
  if (!('subtle' in crypto)) return '';
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
