// One function in the middle: who calls it above, what it calls below.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { focusName, search } from '../page/address.ts';
import { engine } from '../worker/engine-client.ts';
import type { BoxInfo, FlameInfo } from '../worker/protocol.ts';
import { FlameExport } from './flame-export.tsx';
import { FlameGraph } from './flame-graph.tsx';
import { FunctionsTable } from './functions-table.tsx';
import { frameText, stackQuery, stackRevision } from './stack-state.ts';

/** Chooses the function with the most self time where none is chosen yet. */
function useHeaviest(): void {
  const query = stackQuery.value;
  useEffect(() => {
    if (focusName.value !== '') return;
    let current = true;
    void engine.call('functions', { slot: 'main', query }).then(({ names, categories }) => {
      if (!current || focusName.value !== '') return;
      focusName.value = frameText(names[0] ?? '', categories[0] ?? '');
    });
    return () => {
      current = false;
    };
  }, [JSON.stringify(query), stackRevision.value, focusName.value]);
}

export function Sandwich() {
  useHeaviest();
  return (
    <div class="sandwich">
      <div class="sandwich-list">
        <FunctionsTable compact />
      </div>
      {focusName.value === '' ? (
        <p class="hint sandwich-none">
          No function is left to show. Clear Only, Hide or the selected time.
        </p>
      ) : (
        <div class="sandwich-graphs">
          <Half kind="callers" />
          <p class="sandwich-name">
            <b class="mono wrap-anywhere">{focusName.value}</b>
          </p>
          <Half kind="callees" />
        </div>
      )}
    </div>
  );
}

function Half({ kind }: { readonly kind: 'callers' | 'callees' }) {
  const info = useSignal<FlameInfo | null>(null);
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
