// The call tree as a tree grid: every box of the flame graph, reachable by keyboard and read out with its numbers.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { Pending } from '../../controls/pending.tsx';
import { Share } from '../../controls/share.tsx';
import { formatCount, formatValue } from '../../format/numbers.ts';
import type { TreeRow } from './derive/open-tree-rows.ts';
import type { StackCalls } from './stack-calls.ts';
import { group, stackQuery, stackRevision } from './stack-state.ts';

const engine = engineFor<StackCalls>();

export function StackTree() {
  const open = useSignal<ReadonlySet<string>>(new Set());
  /** The row that the keyboard is on, by its key; the first where it is none that is shown. */
  const at = useSignal('');
  const body = useRef<HTMLTableSectionElement>(null);
  const query = stackQuery.value;
  const { answer, fault } = useAnswer(
    () => engine.call('treeRows', { slot: 'main', query, open: [...open.value] }),
    [JSON.stringify(query), stackRevision.value, open.value],
  );
  const rows = answer?.rows ?? [];
  const current = Math.max(
    0,
    rows.findIndex((row) => row.key === at.value),
  );

  function focusRow(index: number): void {
    const element = body.current?.children[index];
    if (element instanceof HTMLElement) element.focus();
  }

  function toggle(row: TreeRow, opens: boolean): void {
    if (row.children === 0) return;
    const next = new Set(open.value);
    if (opens) next.add(row.key);
    else next.delete(row.key);
    open.value = next;
  }

  function onKey(event: KeyboardEvent, index: number): void {
    const row = rows[index];
    if (row === undefined) return;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusRow(index + 1),
      ArrowUp: () => focusRow(index - 1),
      Home: () => focusRow(0),
      End: () => focusRow(rows.length - 1),
      ArrowRight: () => (row.open ? focusRow(index + 1) : toggle(row, true)),
      ArrowLeft: () =>
        row.open ? toggle(row, false) : focusRow(rows.findIndex(({ key }) => key === row.parent)),
      Enter: () => toggle(row, !row.open),
      ' ': () => toggle(row, !row.open),
    };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step();
  }

  const unit = group.value?.unit ?? '';
  if (answer === null) return <Pending fault={fault}>Adding up…</Pending>;
  return (
    <>
      <div class="table-box tall">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows open is a treegrid */}
        <table class="table tree" role="treegrid" aria-label="Call tree">
          <thead>
            <tr>
              <th scope="col">Function</th>
              <th scope="col" class="tree-kind">
                Kind
              </th>
              <th scope="col" class="number">
                Self
              </th>
              <th scope="col" class="number">
                Total
              </th>
              <th scope="col" class="number">
                Total %
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.map((row, index) => (
              <tr
                key={row.key}
                aria-level={row.level}
                aria-posinset={row.place}
                aria-setsize={row.siblings}
                aria-expanded={row.children === 0 ? undefined : row.open}
                tabIndex={index === current ? 0 : -1}
                onFocus={() => {
                  at.value = row.key;
                }}
                onKeyDown={(event) => onKey(event, index)}
                onClick={() => toggle(row, !row.open)}
              >
                <td style={{ paddingInlineStart: `${Math.min(row.level, 40) * 0.9}rem` }}>
                  <span class="twist" aria-hidden="true">
                    {row.children === 0 ? '' : row.open ? '▾' : '▸'}
                  </span>
                  <span class="mono">{row.name}</span>
                </td>
                <td>{row.category}</td>
                <td class="number">{formatValue(row.self, unit)}</td>
                <td class="number">{formatValue(row.total, unit)}</td>
                <td class="number">
                  <Share value={row.share} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {answer.leftOut > 0 && (
        <p class="hint">
          {formatCount(answer.leftOut)} of the lightest rows are left out. Only brings them up.
        </p>
      )}
    </>
  );
}
