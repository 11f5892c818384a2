// What the offline analysis says: findings with evidence that points into the trace, and the shape of a rule.
import type { AnalysisContext } from './context.ts';

/** A fact behind a finding: what was measured, and where in the trace to look (`t` in milliseconds since its start). */
export type Evidence = {
  readonly label: string;
  readonly value?: number | string;
  readonly unit?: string;
  readonly t?: number;
  readonly duration_ms?: number;
};

export type Severity = 'critical' | 'warning' | 'info';

/** `title` states the fact, `detail` explains it and ends in a next step. */
export type Finding = {
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  readonly evidence: readonly Evidence[];
};

/** `impact` orders findings of the same severity: how many frame budgets were lost to it, where that is known. */
export type RuleResult = Finding & { readonly impact: number };

/** One rule a file. Null: it has nothing to say. */
export type Rule = (context: AnalysisContext) => RuleResult | null;

/** At most this many pieces of evidence a finding. */
export const MOST_EVIDENCE = 8;

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

export function milliseconds(ms: number): string {
  return ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}

export function mebibytes(bytes: number): string {
  const mib = bytes / 1_048_576;
  return `${mib.toFixed(mib < 100 ? 1 : 0)} MiB`;
}

/** Three decimals: enough for a number that people read, the same text everywhere. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
