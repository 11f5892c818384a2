// Derives the overview of a trace: the verdict and the short lists that lead to the other views. Pure.
import {
  type CauseParts,
  causeParts,
  type ExplainedHitch,
  mainCauses,
  type Overview,
  overviewOf,
  type TraceModel,
  type Verdict,
  verdictOf,
} from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';
import { boundsOf } from '../bounds/derive-bounds.ts';

/** A hitch, and the clauses on what caused it. */
export type OverviewMoment = Pick<
  ExplainedHitch,
  'source' | 'start_ms' | 'duration_ms' | 'bound'
> & {
  /** The most costly cause first. Empty if no cause is known. */
  readonly causes: readonly CauseParts[];
};

export type OverviewView = Pick<
  Overview,
  | 'budget_ms'
  | 'pacing'
  | 'hitches'
  | 'explained'
  | 'groups'
  | 'cpu'
  | 'memory'
  | 'leak'
  | 'assets'
  | 'asset_totals'
  | 'functions'
  | 'missing'
> & { readonly verdict: Verdict; readonly moments: readonly OverviewMoment[] };

export type OverviewCalls = {
  /** Returns the answer at first sight, of the whole trace. */
  readonly overview: Call<{ readonly slot: Slot; readonly budgetMs: number }, OverviewView>;
};

export function deriveOverview(model: TraceModel, budgetMs: number): OverviewView {
  const { bounds: _bounds, ...overview } = overviewOf(model, { bounds: boundsOf(model, budgetMs) });
  return {
    ...overview,
    verdict: verdictOf({ ...overview, bounds: _bounds }),
    moments: overview.moments.map(({ source, start_ms, duration_ms, bound, causes }) => ({
      ...{ source, start_ms, duration_ms, bound },
      causes: mainCauses(causes, duration_ms).map(causeParts),
    })),
  };
}
