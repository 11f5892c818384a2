// The call tree as a tree grid: every box of the flame graph, with its numbers, for keyboards and screen readers.
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { FitName } from '../../controls/fit-name.tsx';
import { Pending } from '../../controls/pending.tsx';
import { Share } from '../../controls/share.tsx';
import { formatCount, formatValue } from '../../format/numbers.ts';
import type { TreeRow } from './derive/open-tree-rows.ts';
import type { StackCalls } from './stack-calls.ts';
import { group, stackQuery, stackRevision } from './stack-state.ts';
import { stepInTree } from './tree-keys.ts';

const engine = engineFor<StackCalls>();

export function StackTree() {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const query = stackQuery.value;
  const { answer, fault } = useAnswer(
    () => engine.call('treeRows', { slot: 'main', query, open: [...open.value] }),
    [JSON.stringify(query), stackRevision.value, open.value],
  );
  if (answer === null) return <Pending fault={fault}>Adding up…</Pending>;
  return (
    <>
      <TreeGrid rows={answer.rows} open={open} />
      {answer.leftOut > 0 && (
        <p class="hint">
          The {formatCount(answer.leftOut)} lightest rows are left out. Use Only to find them.
        </p>
      )}
    </>
  );
}

type Grid = {
  readonly rows: readonly TreeRow[];
  /** The keys of the open rows. */
  readonly open: Signal<ReadonlySet<string>>;
};

function TreeGrid({ rows, open }: Grid) {
  /** The key of the row that has the focus. If it is not shown, the first row can be focused. */
  const focused = useSignal('');
  const body = useRef<HTMLTableSectionElement>(null);
  const current = Math.max(
    0,
    rows.findIndex((row) => row.key === focused.value),
  );
  const focusRow = (index: number): void => {
    const element = body.current?.children[index];
    if (element instanceof HTMLElement) element.focus();
  };
  const toggle = (row: TreeRow, opens: boolean): void => {
    if (row.children === 0) return;
    const next = new Set(open.value);
    if (opens) next.add(row.key);
    else next.delete(row.key);
    open.value = next;
  };
  return (
    <div class="table-box tall">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows open is a treegrid */}
      <table class="table tree" role="treegrid" aria-label="Call tree">
        <Head />
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
                focused.value = row.key;
              }}
              onKeyDown={(event) => stepInTree(event, { rows, index, focusRow, toggle })}
              onClick={() => toggle(row, !row.open)}
            >
              <Cells row={row} unit={group.value?.unit ?? ''} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head() {
  return (
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
  );
}

function Cells({ row, unit }: { readonly row: TreeRow; readonly unit: string }) {
  return (
    <>
      <td style={{ paddingInlineStart: `${Math.min(row.level, 40) * 0.9}rem` }}>
        <span class="twist" aria-hidden="true">
          {row.children === 0 ? '' : row.open ? '▾' : '▸'}
        </span>
        <FitName text={row.name} mono />
      </td>
      <td>{row.category}</td>
      <td class="number">{formatValue(row.self, unit)}</td>
      <td class="number">{formatValue(row.total, unit)}</td>
      <td class="number">
        <Share value={row.share} />
      </td>
    </>
  );
}
