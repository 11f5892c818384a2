// The state of the analysis: the findings, and the last question to a provider. It outlives the view.

import { signal } from '@preact/signals';
import { AgentError, type Analysis } from '@svc/contracts/agent';
import { messageOf } from '@svc/contracts/caught';
import { engineFor } from '../../client/engine-client.ts';
import { agent } from '../../client/session.ts';
import type { TraceInfo } from '../../client/trace-calls.ts';
import { budgetMs } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import type { AnalysisCalls, AnalysisView } from './derive-analysis.ts';

const engine = engineFor<AnalysisCalls>();

/** `of` is the trace at the time of the analysis. A growing trace makes the findings outdated. */
export type Derived = AnalysisView & { readonly of: TraceInfo; readonly budgetMs: number };

/** A question to a provider. Exactly the instruction and `summary` were sent. */
export type Question = {
  readonly model: string;
  readonly host: string;
  readonly sentAt: Date;
  readonly summary: AnalysisView['summary'];
  readonly trace: string;
  readonly state:
    | { readonly kind: 'waiting'; readonly cancel: AbortController }
    | { readonly kind: 'answered'; readonly answer: Analysis }
    | { readonly kind: 'failed'; readonly message: string; readonly sent: boolean };
};

export const derived = signal<Derived | null>(null);
export const analyzing = signal(false);
export const analysisFault = signal<string | null>(null);
export const question = signal<Question | null>(null);

/** Runs the rules on the open trace, in this page. Nothing is sent. */
export async function analyzeHere(): Promise<void> {
  const of = mainTrace.value;
  if (of === null || analyzing.value) return;
  analyzing.value = true;
  analysisFault.value = null;
  const budget = budgetMs.value;
  try {
    const view = await engine.call('analysis', { slot: 'main', budgetMs: budget });
    if (mainTrace.value !== null) derived.value = { ...view, of, budgetMs: budget };
  } catch (error) {
    analysisFault.value = messageOf(error);
  } finally {
    analyzing.value = false;
  }
}

/** Error codes that mean that the agent has sent nothing. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'summary_changed',
  'provider_key_missing',
  'no_trace',
  'work_in_progress',
  'invalid_input',
  'not_available',
  'unauthenticated',
]);

/** Sends the shown summary once. The agent refuses if the trace has changed since. */
export async function askModel(model: string, host: string, shown: Derived): Promise<void> {
  if (question.value?.state.kind === 'waiting') return;
  const cancel = new AbortController();
  const about = {
    model,
    host,
    sentAt: new Date(),
    summary: shown.summary,
    trace: shown.of.name,
  };
  question.value = { ...about, state: { kind: 'waiting', cancel } };
  try {
    const summary_sha256 = shown.summary.sha256;
    const body = { offline: false, model, summary_sha256, budget_ms: shown.budgetMs } as const;
    const answer = await agent().call('analyze', { body, signal: cancel.signal });
    question.value = { ...about, state: { kind: 'answered', answer } };
  } catch (error) {
    const sent = !(error instanceof AgentError && NOT_SENT.has(error.code));
    const message = cancel.signal.aborted ? 'You cancelled the question.' : sentence(error);
    question.value = { ...about, state: { kind: 'failed', message, sent } };
  }
}

function sentence(error: unknown): string {
  const text = messageOf(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
