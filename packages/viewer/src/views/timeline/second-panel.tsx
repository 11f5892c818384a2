// What happened in the second at the crosshair: memory, the assets at work, and the functions with the most time of their own.
import { computed, signal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { engineFor } from '../../client/engine-client.ts';
import { LatestCall } from '../../client/latest-call.ts';
import { FitName } from '../../controls/fit-name.tsx';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDelta,
  formatMs,
  formatShare,
} from '../../format/numbers.ts';
import { selection, view } from '../../state/address.ts';
import { has, mainTrace, traceId } from '../../traces/open-traces.ts';
import { showSandwich } from '../stacks/stack-state.ts';
import { secondOf } from './layout/second-of.ts';
import type { SecondView, TimelineCalls } from './timeline-data.ts';
import { cursor, wholeRange } from './timeline-state.ts';

const engine = engineFor<TimelineCalls>();

/** The start of the second at the crosshair in ms; null if there is no crosshair. */
const hovered = computed(() =>
  cursor.value === null ? null : secondOf(cursor.value, wholeRange.value.to).from,
);

type Shown = { readonly trace: string; readonly second: SecondView };

/** The latest answer. It stays until the next one, also when the crosshair leaves. */
const shown = signal<Shown | null>(null);

const seconds = new LatestCall(
  async (from: number): Promise<Shown> => {
    const trace = traceId.peek();
    const range = secondOf(from, wholeRange.peek().to);
    return { trace, second: await engine.call('second', { slot: 'main', range }) };
  },
  (answer) => {
    shown.value = answer;
  },
);

/** Whether the trace has something to show beyond the memory, which the tracks show, too. */
export function hasSecond(): boolean {
  return has('stacks') || has('asset');
}

export function SecondPanel() {
  useSignalEffect(() => {
    // When the trace grows, the same second is asked for again.
    if (mainTrace.value !== null && hovered.value !== null) seconds.ask(hovered.value);
  });
  const second = shown.value?.trace === traceId.value ? shown.value.second : null;
  return (
    <section
      class={second === null ? 'second idle' : 'second'}
      aria-label="The second at the crosshair"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
      tabIndex={0}
    >
      {second === null ? (
        <p class="hint">
          Point at a time, tap it, or press ← and → on the tracks to see what was at work in that
          second.
        </p>
      ) : (
        <Found second={second} />
      )}
    </section>
  );
}

function Found({ second }: { readonly second: SecondView }) {
  const { range } = second;
  return (
    <>
      <h2>
        {formatClock(range.from, 1000)} to {formatClock(range.to, 1000)}
        <button
          type="button"
          class="button small"
          title="Show only this second in Timeline, Frames, Stacks and Assets"
          onClick={() => {
            selection.value = range;
          }}
        >
          Select
        </button>
      </h2>
      <Memory second={second} />
      <Assets second={second} />
      <Functions second={second} />
    </>
  );
}

type SecondProps = { readonly second: SecondView };

function Memory({ second: { memory } }: SecondProps) {
  if (memory.length === 0) return null;
  return (
    <Part title="Memory">
      {memory.map(({ label, source, bytes, change }) => (
        <li key={`${source} ${label}`}>
          <FitName text={label} />
          <span>{formatBytes(bytes)}</span>
          <small>{formatDelta(change, formatBytes)}</small>
        </li>
      ))}
    </Part>
  );
}

function Assets({ second: { assets, assetCount } }: SecondProps) {
  if (!has('asset')) return null;
  return (
    <Part title="Assets at work" count={assetCount}>
      {assets.map(({ name, phase, within_ms }, index) => (
        <li key={index}>
          <FitName text={name} />
          <span>{formatMs(within_ms)}</span>
          <small>{phase}</small>
        </li>
      ))}
    </Part>
  );
}

function Functions({ second: { functions, functionCount, range } }: SecondProps) {
  if (!has('stacks')) return null;
  const open = (name: string, category: string): void => {
    selection.value = range;
    showSandwich(name, category);
    view.value = 'stacks';
  };
  return (
    <Part title="Functions by own time" count={functionCount}>
      {functions.map(({ name, category, share }) => (
        <li key={`${name}/${category}`}>
          <button
            type="button"
            class="row-button"
            title={`Callers and callees of ${name}`}
            onClick={() => open(name, category)}
          >
            <FitName text={name} mono beside={category} />
          </button>
          <span>{formatShare(share)}</span>
        </li>
      ))}
    </Part>
  );
}

type PartProps = {
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren[];
};

function Part({ title, count, children }: PartProps) {
  return (
    <section aria-label={title}>
      <h3>
        {title}{' '}
        {count !== undefined && count > children.length && (
          <span class="muted">
            {formatCount(children.length)} of {formatCount(count)}
          </span>
        )}
      </h3>
      {children.length === 0 ? <p class="hint">None</p> : <ul class="plain">{children}</ul>}
    </section>
  );
}
