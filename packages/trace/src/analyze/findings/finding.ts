// Findings of the offline analysis, with evidence that refers to the trace, and the type of a rule.
import type { AnalysisContext } from './context.ts';

/** A fact behind a finding: the measured value, and its position in the trace (`t` in ms since the start). */
export type Evidence = {
  readonly label: string;
  readonly value?: number | string;
  readonly unit?: string;
  readonly t?: number;
  readonly duration_ms?: number;
};

export type Severity = 'critical' | 'warning' | 'info';

/** `title` states the fact. `detail` explains it and ends with a next step. */
export type Finding = {
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  readonly evidence: readonly Evidence[];
};

/** `impact` orders findings of the same severity. If possible it is the number of frame budgets that were lost. */
type RuleResult = Finding & { readonly impact: number };

/** A rule returns a finding, or null. There is one rule per file. */
export type Rule = (context: AnalysisContext) => RuleResult | null;

/** Most pieces of evidence in a finding. */
export const MOST_EVIDENCE = 8;

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

export function milliseconds(ms: number): string {
  return ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}

/** A number of whole seconds: `1 second`, `12 seconds`. */
export function wholeSeconds(count: number): string {
  return `${count} ${count === 1 ? 'second' : 'seconds'}`;
}

/** Rounds to three decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
