// One function with its callers above and its callees below.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { focusName, search } from '../../state/address.ts';
import { traceId } from '../../traces/open-traces.ts';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';
import { FlameExport } from './flame-export.tsx';
import { FlameGraph } from './flame-graph.tsx';
import { FunctionsTable } from './functions-table.tsx';
import type { StackCalls } from './stack-calls.ts';
import { frameText, stackQuery, stackRevision } from './stack-state.ts';

const engine = engineFor<StackCalls>();

/** The id of the trace in which the function was chosen. */
let chosenIn = '';

/**
 * Chooses the function with the largest self weight if none is chosen, or if another trace does not have the chosen
 * one.
 */
function useHeaviest(): void {
  const query = stackQuery.value;
  useEffect(() => {
    const trace = traceId.value;
    const chosen = focusName.value;
    if (chosen !== '' && (chosenIn === '' || chosenIn === trace)) {
      chosenIn = trace;
      return;
    }
    let current = true;
    void engine.call('functions', { slot: 'main', query }).then(({ names, categories }) => {
      if (!current || focusName.value !== chosen) return;
      const text = (index: number): string =>
        frameText(names[index] ?? '', categories[index] ?? '');
      chosenIn = trace;
      if (!names.some((name, index) => name === chosen || text(index) === chosen)) {
        focusName.value = text(0);
      }
    });
    return () => {
      current = false;
    };
  }, [JSON.stringify(query), stackRevision.value, focusName.value]);
}

export function Sandwich() {
  useHeaviest();
  const callees = useSignal<FlameInfo | null>(null);
  const missing = callees.value !== null && callees.value.boxes === 0;
  return (
    <div class="sandwich">
      <div class="sandwich-list">
        <FunctionsTable compact />
      </div>
      {focusName.value === '' ? (
        <p class="hint sandwich-none">
          There is no function to show. Clear Only, Hide or the selected time range.
        </p>
      ) : (
        <div class="sandwich-graphs">
          <Half kind="callers" />
          <p class="sandwich-name" role="status">
            <b class="mono wrap-anywhere">{focusName.value}</b>
            {missing && ' does not occur in the shown stacks. Choose another function.'}
          </p>
          <Half kind="callees" info={callees} />
        </div>
      )}
    </div>
  );
}

type HalfProps = {
  readonly kind: 'callers' | 'callees';
  readonly info?: Signal<FlameInfo | null>;
};

function Half({ kind, info: given }: HalfProps) {
  const own = useSignal<FlameInfo | null>(null);
  const info = given ?? own;
  const chosen = useSignal<BoxInfo | null>(null);
  return (
    <section class="sandwich-half">
      <div class="subbar">
        <h2>{kind === 'callers' ? 'Callers' : 'Callees'}</h2>
        <span class="spring" />
        <FlameExport
          canvas={`sandwich-${kind}`}
          info={info}
          part={kind}
          upward={kind === 'callers'}
        />
      </div>
      <FlameGraph
        name={`sandwich-${kind}`}
        label={
          kind === 'callers' ? `Callers of ${focusName.value}` : `What ${focusName.value} calls`
        }
        scene={{ kind, slot: 'main', query: stackQuery.value, name: focusName.value }}
        revision={stackRevision.value}
        search={search.value}
        upward={kind === 'callers'}
        info={info}
        chosen={chosen}
        open={(box) => {
          focusName.value = frameText(box.name, box.category);
        }}
      />
    </section>
  );
}
