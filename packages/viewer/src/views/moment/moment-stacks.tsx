// The stacks of a time range, as a small flame graph or as a table.
import { useSignal } from '@preact/signals';
import { TableToggle } from '../../controls/table-toggle.tsx';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock } from '../../format/numbers.ts';
import { WHOLE } from '../stacks/derive/query.ts';
import type { BoxInfo, FlameInfo } from '../stacks/draw/flame-info.ts';
import { FlameGraph } from '../stacks/flame-graph.tsx';
import { FunctionsTable } from '../stacks/functions-table.tsx';
import { stackRevision } from '../stacks/stack-state.ts';
import type { MomentStacks as Found } from './derive-moment.ts';

type Props = {
  readonly stacks: readonly Found[];
  readonly range: TimeRange;
  /** Opens callers and callees of a function. */
  readonly open: (name: string, category: string) => void;
};

export function MomentStacks({ stacks, range, open }: Props) {
  const asTable = useSignal(false);
  const place = useSignal(0);
  const info = useSignal<FlameInfo | null>(null);
  const chosen = useSignal<BoxInfo | null>(null);
  const shown = stacks[place.value] ?? stacks[0];
  if (shown === undefined) return null;
  const query = { ...WHOLE, group: shown.group, range };
  return (
    <section class="moment-stacks">
      <div class="subbar">
        <h3>Stacks</h3>
        {stacks.length > 1 && (
          <select
            aria-label="Which stacks"
            value={place.value}
            onChange={(event) => {
              place.value = Number(event.currentTarget.value);
            }}
          >
            {stacks.map(({ group, source, unit }, index) => (
              <option key={group} value={index}>
                {source}, {unit}
              </option>
            ))}
          </select>
        )}
        <p class="hint">{timesText(shown.of, range)}</p>
        <span class="spring" />
        <TableToggle table={asTable} />
      </div>
      {asTable.value ? (
        <FunctionsTable query={query} compact choose={open} />
      ) : (
        <FlameGraph
          name="moment"
          label="Stacks of this moment"
          scene={{ kind: 'merged', slot: 'main', query }}
          revision={stackRevision.value}
          search=""
          info={info}
          chosen={chosen}
          open={(box) => open(box.name, box.category)}
        />
      )}
    </section>
  );
}

/** States the time of the sample groups if it is longer than the range. */
function timesText(of: TimeRange, range: TimeRange): string {
  if (of.from >= range.from && of.to <= range.to) return '';
  return `Samples from ${formatClock(of.from)} to ${formatClock(of.to)}. No finer times were recorded.`;
}
