// One line on what bounds the frames of the whole trace. A button shows its evidence.
import { useSignal } from '@preact/signals';
import { workNames } from '@svc/trace';
import { useId } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { Pending } from '../../controls/pending.tsx';
import { formatMs } from '../../format/numbers.ts';
import { budgetMs, selection } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { BoundShares } from './bound-shares.tsx';
import './bounds.css';
import type { BoundsCalls, BoundsView } from './derive-bounds.ts';
import { ShareTable } from './share-table.tsx';

const engine = engineFor<BoundsCalls>();

/** Show it only if the trace has frames. */
export function BoundsLine() {
  const budget = budgetMs.value;
  const open = useSignal(false);
  const evidence = useId();
  const { answer: bounds, fault } = useAnswer(
    () => engine.call('bounds', { slot: 'main', budgetMs: budget }),
    [mainTrace.value, budget],
  );
  if (bounds === null) return <Pending fault={fault}>Looking for what bounds the frames…</Pending>;
  const hasEvidence = bounds.shares.length > 0 || bounds.work !== null;
  return (
    <section class="bounds" aria-label="What bounds the frames">
      <div class="bounds-line">
        <p class="wrap-anywhere">
          {selection.value !== null && 'In the whole trace: '}
          {bounds.text}
        </p>
        {hasEvidence && (
          <button
            type="button"
            class="button small"
            aria-expanded={open.value}
            aria-controls={evidence}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            {open.value ? 'Hide evidence' : 'Show evidence'}
          </button>
        )}
      </div>
      <div id={evidence} class="bounds-evidence" hidden={!open.value}>
        {open.value && <Evidence bounds={bounds} />}
      </div>
    </section>
  );
}

const WORK_HEADS = ['Work', 'Time', 'Share'] as const;

function Evidence({ bounds: { shares, work, source, gpu } }: { readonly bounds: BoundsView }) {
  const names = workNames(source);
  return (
    <>
      {shares.length > 0 && <BoundShares shares={shares} source={source} />}
      {work !== null && (
        <ShareTable
          caption="Time of the main thread in all frames"
          heads={WORK_HEADS}
          rows={work.map(({ work: kind, total_ms, share }) => ({
            name: names[kind],
            values: [formatMs(total_ms)],
            share,
          }))}
        />
      )}
      {gpu !== null && (
        <p class="hint wrap-anywhere">
          Graphics adapter: {gpu.name}
          {gpu.software && ', which renders on the CPU'}
        </p>
      )}
    </>
  );
}
