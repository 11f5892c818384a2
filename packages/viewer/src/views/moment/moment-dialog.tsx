// The dialog about one time range: everything recorded in it, and its stacks as a flame graph.

import { useEffect } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { Dialog } from '../../controls/dialog.tsx';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock, formatMs } from '../../format/numbers.ts';
import { budgetMs, momentRange, view } from '../../state/address.ts';
import { notify } from '../../state/notices.ts';
import { traceId } from '../../traces/open-traces.ts';
import { showSandwich } from '../stacks/stack-state.ts';
import { lookAt } from '../timeline/timeline-state.ts';
import type { MomentCalls, MomentView } from './derive-moment.ts';
import { hitchBeside } from './hitches.ts';
import './moment.css';
import { MomentBound } from './moment-bound.tsx';
import { AddNote, MomentNotes } from './moment-notes.tsx';
import { MomentRecords } from './moment-records.tsx';
import { MomentShare } from './moment-share.tsx';
import { MomentStacks } from './moment-stacks.tsx';
import { NearFrames } from './near-frames.tsx';

const engine = engineFor<MomentCalls>();

/** Opens the dialog for a time range. Its address leads to it again. */
export function showMoment(range: TimeRange): void {
  momentRange.value = range;
}

export function Moment() {
  const wanted = momentRange.value;
  const trace = traceId.value;
  const budget = budgetMs.value;
  const { answer, fault } = useAnswer(() => ask(trace, wanted, budget), [trace, wanted, budget]);
  const close = (): void => {
    momentRange.value = null;
  };
  useEffect(() => {
    if (fault === null) return;
    notify('bad', fault);
    close();
  }, [fault]);
  // Until the answer to another range arrives, the dialog shows the one before.
  const now = wanted === null ? null : answer;
  if (now === null) return null;
  const { range, moment } = now;
  const goTo = (where: 'timeline' | 'stacks'): void => {
    lookAt(range);
    view.value = where;
    close();
  };
  const openFunction = (name: string, category: string): void => {
    showSandwich(name, category);
    goTo('stacks');
  };
  return (
    <Dialog
      open
      title={`${formatClock(range.from)}, ${formatMs(range.to - range.from)}`}
      close={close}
      wide
    >
      {moment.bounds !== null && <MomentBound bounds={moment.bounds} />}
      {moment.near !== null && <NearFrames near={moment.near} />}
      <MomentNotes range={range} />
      <MomentRecords moment={moment} open={openFunction} />
      <MomentStacks stacks={moment.stacks} range={range} open={openFunction} />
      <footer class="dialog-foot">
        <Hitch label="Earlier hitch" range={hitchBeside(range.from, 'earlier')} />
        <Hitch label="Later hitch" range={hitchBeside(range.from, 'later')} />
        <span class="spring" />
        <AddNote range={range} />
        <MomentShare moment={moment} range={range} />
        <button type="button" class="button" onClick={() => goTo('timeline')}>
          Show on the timeline
        </button>
        <button
          type="button"
          class="button"
          disabled={moment.stacks.length === 0}
          onClick={() => goTo('stacks')}
        >
          Show its stacks
        </button>
      </footer>
    </Dialog>
  );
}

async function ask(
  trace: string,
  range: TimeRange | null,
  budget: number,
): Promise<{ range: TimeRange; moment: MomentView } | null> {
  if (trace === '' || range === null) return null;
  return { range, moment: await engine.call('moment', { slot: 'main', range, budgetMs: budget }) };
}

function Hitch({ label, range }: { readonly label: string; readonly range: TimeRange | null }) {
  return (
    <button
      type="button"
      class="button"
      disabled={range === null}
      onClick={() => range !== null && showMoment(range)}
    >
      {label}
    </button>
  );
}
