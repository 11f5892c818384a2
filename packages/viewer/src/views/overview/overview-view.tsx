// The overview: the verdict on the trace, and the evidence in short. Each line leads to the view that shows it.

import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { BudgetField } from '../../controls/budget-field.tsx';
import { Pending } from '../../controls/pending.tsx';
import { budgetMs } from '../../state/address.ts';
import { has, traceId, traceLength } from '../../traces/open-traces.ts';
import { Assets, Functions } from './cost-panels.tsx';
import type { OverviewCalls, OverviewView } from './derive-overview.ts';
import { Causes, WorstMoments } from './hitch-panels.tsx';
import { Missing } from './missing-panel.tsx';
import { Notes } from './notes-panel.tsx';
import { FramePacing } from './pacing-panel.tsx';
import { Cpu, Memory } from './series-panel.tsx';
import './overview.css';

const engine = engineFor<OverviewCalls>();

export function OverviewPage() {
  const budget = budgetMs.value;
  const { answer: overview, fault } = useAnswer(
    () => engine.call('overview', { slot: 'main', budgetMs: budget }),
    [traceId.value, traceLength.value, budget],
  );
  if (overview === null) return <Pending fault={fault}>Looking for the answer…</Pending>;
  const { headline, detail } = overview.verdict;
  return (
    <div class="glance-page">
      <header class="verdict">
        <div>
          <h2 class="wrap-anywhere">{headline}</h2>
          {detail !== '' && <p class="wrap-anywhere">{detail}</p>}
        </div>
        {has('frames') && <BudgetField />}
      </header>
      {overview.pacing.length > 0 ? (
        <OfFrames overview={overview} />
      ) : (
        <OfProcess overview={overview} />
      )}
    </div>
  );
}

/** A trace with frames: hitches first. */
function OfFrames({ overview }: { readonly overview: OverviewView }) {
  return (
    <div class="glance-columns">
      <div class="glance-column">
        <Causes overview={overview} />
        <WorstMoments overview={overview} />
        <Notes />
        <Memory overview={overview} />
        <Cpu overview={overview} />
      </div>
      <div class="glance-column">
        <FramePacing overview={overview} />
        <Functions overview={overview} />
        <Assets overview={overview} />
        <Missing overview={overview} />
      </div>
    </div>
  );
}

/** A trace without frames: CPU and memory first. */
function OfProcess({ overview }: { readonly overview: OverviewView }) {
  return (
    <div class="glance-columns">
      <div class="glance-column">
        <Cpu overview={overview} />
        <Memory overview={overview} />
        <Notes />
      </div>
      <div class="glance-column">
        <Functions overview={overview} />
        <Assets overview={overview} />
        <Missing overview={overview} />
      </div>
    </div>
  );
}
