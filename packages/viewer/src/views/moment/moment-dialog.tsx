// The dialog about one time range: everything recorded in it, and its stacks as a flame graph.

import { signal } from '@preact/signals';
import { messageOf } from '@svc/contracts/caught';
import { engineFor } from '../../client/engine-client.ts';
import { Dialog } from '../../controls/dialog.tsx';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock, formatMs } from '../../format/numbers.ts';
import { budgetMs, view } from '../../state/address.ts';
import { notify } from '../../state/notices.ts';
import { showSandwich } from '../stacks/stack-state.ts';
import { lookAt } from '../timeline/timeline-state.ts';
import type { MomentCalls, MomentView } from './derive-moment.ts';
import { hitchBeside } from './hitches.ts';
import './moment.css';
import { MomentBound } from './moment-bound.tsx';
import { MomentRecords } from './moment-records.tsx';
import { MomentStacks } from './moment-stacks.tsx';

const engine = engineFor<MomentCalls>();

const shown = signal<{ readonly range: TimeRange; readonly moment: MomentView } | null>(null);

let requests = 0;

/** Opens the dialog for a time range. Of several requests, the last one wins. */
export async function showMoment(range: TimeRange): Promise<void> {
  const request = ++requests;
  try {
    const moment = await engine.call('moment', { slot: 'main', range, budgetMs: budgetMs.value });
    if (request === requests) shown.value = { range, moment };
  } catch (error) {
    notify('bad', messageOf(error));
  }
}

export function Moment() {
  const now = shown.value;
  const close = (): void => {
    requests++;
    shown.value = null;
  };
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
      <MomentRecords moment={moment} open={openFunction} />
      <MomentStacks stacks={moment.stacks} range={range} open={openFunction} />
      <footer class="dialog-foot">
        <Hitch label="Earlier hitch" range={hitchBeside(range.from, 'earlier')} />
        <Hitch label="Later hitch" range={hitchBeside(range.from, 'later')} />
        <span class="spring" />
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

function Hitch({ label, range }: { readonly label: string; readonly range: TimeRange | null }) {
  return (
    <button
      type="button"
      class="button"
      disabled={range === null}
      onClick={() => range !== null && void showMoment(range)}
    >
      {label}
    </button>
  );
}
