// The stacks view with its five modes: merged, in order, sandwich, table, tree.
import { useSignal } from '@preact/signals';
import { LEFT_OUT } from '@svc/trace';
import { status } from '../../client/session.ts';
import { copyText } from '../../controls/copy-button.tsx';
import { Empty } from '../../controls/empty.tsx';
import { formatCount, formatShare, formatValue } from '../../format/numbers.ts';
import { probeNote } from '../../format/probe-note.ts';
import { STACK_MODES, type StackMode, search, stackMode } from '../../state/address.ts';
import { has } from '../../traces/open-traces.ts';
import { BoxFacts } from './box-tooltip.tsx';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';
import { FlameExport } from './flame-export.tsx';
import { FlameGraph } from './flame-graph.tsx';
import { FunctionsTable } from './functions-table.tsx';
import { Legend } from './legend.tsx';
import { Sandwich } from './sandwich.tsx';
import { StackFilters } from './stack-filters.tsx';
import { group, showSandwich, stackQuery, stackRevision } from './stack-state.ts';
import { StackTree } from './stack-tree.tsx';
import './stacks.css';

const MODE_NAMES: Readonly<Record<StackMode, string>> = {
  merged: 'Left heavy',
  recorded: 'In order',
  sandwich: 'Sandwich',
  table: 'Table',
  tree: 'Tree',
};

export function Stacks() {
  if (!has('stacks')) return <NoStacks />;
  return (
    <div class="stacks">
      <div class="toolbar">
        <fieldset class="segmented" aria-label="How stacks are shown">
          {STACK_MODES.map((mode) => (
            <button
              key={mode}
              type="button"
              aria-pressed={stackMode.value === mode}
              onClick={() => {
                stackMode.value = mode;
              }}
            >
              {MODE_NAMES[mode]}
            </button>
          ))}
        </fieldset>
        <StackFilters />
      </div>
      <LeftOut />
      {group.value === null ? <p class="hint">Reading…</p> : <StackBody />}
    </div>
  );
}

/** States that the tree is cut, and how many samples that affects. Sums stay exact. */
function LeftOut() {
  const cut = group.value;
  if (cut === null || cut.leftOutSamples === 0) return null;
  return (
    <p class="note tone-warn" role="status">
      <b>Truncated.</b> This page keeps {formatCount(cut.nodes)} nodes of this call tree:{' '}
      {formatCount(cut.leftOutSamples)} of {formatCount(cut.samples)} samples (
      {formatShare(cut.leftOutSamples / cut.samples)}) are deeper and end in <code>{LEFT_OUT}</code>
      .
    </p>
  );
}

function StackBody() {
  switch (stackMode.value) {
    case 'merged':
    case 'recorded':
      return <Flame key={stackMode.value} kind={stackMode.value} />;
    case 'sandwich':
      return <Sandwich />;
    case 'table':
      return <FunctionsTable />;
    case 'tree':
      return <StackTree />;
  }
}

function Flame({ kind }: { readonly kind: 'merged' | 'recorded' }) {
  const info = useSignal<FlameInfo | null>(null);
  const chosen = useSignal<BoxInfo | null>(null);
  const found = useSignal({ boxes: 0, share: 0 });
  return (
    <>
      <div class="subbar">
        <Shown info={info.value} found={found.value} />
        <span class="spring" />
        <Legend categories={info.value?.categories ?? []} />
        <FlameExport canvas="flame" info={info} />
      </div>
      <FlameGraph
        name="flame"
        label={
          kind === 'merged'
            ? 'Flame graph, the heaviest first'
            : 'Flame graph in the order of recording'
        }
        scene={{ kind, slot: 'main', query: stackQuery.value }}
        revision={stackRevision.value}
        search={search.value}
        info={info}
        chosen={chosen}
        searched={(boxes, share) => {
          found.value = { boxes, share };
        }}
        open={(box) => showSandwich(box.name, box.category)}
      />
      <Chosen chosen={chosen.value} unit={info.value?.unit ?? ''} />
    </>
  );
}

function Shown({
  info,
  found,
}: {
  readonly info: FlameInfo | null;
  readonly found: { boxes: number; share: number };
}) {
  if (info === null) return <p class="hint">Laying out…</p>;
  const part =
    info.total === info.whole
      ? ''
      : ` of ${formatValue(info.whole, info.unit)} (${formatShare(info.whole === 0 ? 0 : info.total / info.whole)})`;
  return (
    <p class="hint" role="status">
      {info.unit === 'count' && 'Total '}
      <b title={`exactly ${info.wholeText} ${info.unit} in total`}>
        {formatValue(info.total, info.unit)}
      </b>
      {part}
      {info.boxes === 0 && ' · nothing to draw: the total weight is 0'}
      {search.value !== '' && ` · ${matchText(found)}`}
      {info.instead !== null && ` · ${info.instead}`}
    </p>
  );
}

function matchText({ boxes, share }: { boxes: number; share: number }): string {
  if (boxes === 0) return 'no match';
  const matches = boxes === 1 ? '1 match covers' : `${formatCount(boxes)} matches cover`;
  return `${matches} ${formatShare(share)}`;
}

function Chosen({ chosen, unit }: { readonly chosen: BoxInfo | null; readonly unit: string }) {
  if (chosen === null) {
    return (
      <p class="chosen-box hint keys">
        Click a box to choose it, double-click to zoom to it. Ctrl+wheel zooms, drag moves, arrow
        keys go from box to box. Shift+Enter opens the sandwich.
      </p>
    );
  }
  return (
    <div class="chosen-box">
      <div class="chosen-facts">
        <BoxFacts found={chosen} unit={unit} />
      </div>
      <button type="button" class="button small" onClick={() => void copyText(chosen.name, 'name')}>
        Copy name
      </button>
      <button
        type="button"
        class="button small"
        onClick={() => void copyText(chosen.path.join(';'), 'stack')}
      >
        Copy stack
      </button>
      <button
        type="button"
        class="button small"
        onClick={() => showSandwich(chosen.name, chosen.category)}
      >
        Callers and callees
      </button>
    </div>
  );
}

function NoStacks() {
  const note = probeNote('stacks', status.value);
  return (
    <Empty title="No stacks in this trace">
      {note ?? (
        <>
          Open a trace of Chrome’s Performance panel, a CPU profile or folded stacks (perf script,
          bpftrace or another sampler, folded), or record with stack samples:{' '}
          <code>svc dashboard --pid PID --probes stacks</code>.
        </>
      )}
    </Empty>
  );
}
