// The comparison of two traces: the answer first, then frames and memory, memory over time, stacks, assets.
import { useSignal } from '@preact/signals';
import type { TraceInfo } from '../../client/trace-calls.ts';
import { pickFile } from '../../controls/pick-file.ts';
import { openOther } from '../../traces/open-file.ts';
import { closeOther, mainTrace, otherTrace } from '../../traces/open-traces.ts';
import { AssetsDiff } from './assets-diff.tsx';
import { type ComparePart, PART_NAMES, PARTS } from './compare-parts.ts';
import { Headline } from './headline.tsx';
import { MemoryDiff } from './memory-diff.tsx';
import { NumbersDiff } from './numbers-diff.tsx';
import { Sides } from './sides.tsx';
import { StacksDiff } from './stacks-diff.tsx';
import './compare.css';

export function Compare() {
  const main = mainTrace.value;
  const other = otherTrace.value;
  const onlyStacks = main?.twoWeights === true && other === null;
  const part = useSignal<ComparePart | null>(null);
  const functionsAsTable = useSignal(false);
  if (main === null) return null;
  if (other === null && !main.twoWeights) return <NothingToCompare name={main.name} />;
  const shown = onlyStacks ? 'stacks' : (part.value ?? firstPart(main, other));
  return (
    <div class="compare">
      {!onlyStacks && (
        <Headline
          show={(next) => {
            // The function with the largest rise is easier to find in the table than in the flame graph.
            if (next === 'stacks') functionsAsTable.value = true;
            part.value = next;
          }}
        />
      )}
      <div class="toolbar">
        {onlyStacks ? (
          <p>
            <b>{main.name}</b> has two counts for each stack: before and after.
          </p>
        ) : (
          <fieldset class="segmented" aria-label="What is compared">
            {PART_NAMES.map((key) => (
              <button
                key={key}
                type="button"
                aria-pressed={shown === key}
                onClick={() => {
                  part.value = key;
                }}
              >
                {PARTS[key]}
              </button>
            ))}
          </fieldset>
        )}
        <span class="spring" />
        <button type="button" class="button small" onClick={() => pickFile(openOther)}>
          {other === null ? 'Compare with a file…' : 'Another file…'}
        </button>
        {other !== null && (
          <button type="button" class="button small" onClick={closeOther}>
            Close the comparison
          </button>
        )}
      </div>
      {!onlyStacks && <Sides />}
      {shown === 'numbers' && <NumbersDiff />}
      {shown === 'memory' && <MemoryDiff />}
      {shown === 'stacks' && <StacksDiff twoWeights={onlyStacks} asTable={functionsAsTable} />}
      {shown === 'assets' && <AssetsDiff />}
    </div>
  );
}

/** Returns the part to show first: numbers if either trace has any, else what both have, else what one has. */
function firstPart(main: TraceInfo, other: TraceInfo | null): ComparePart {
  const has = (trace: TraceInfo | null, type: string): boolean => (trace?.counts[type] ?? 0) > 0;
  const numbers = ['frames', 'process', 'counter'];
  if (numbers.some((type) => has(main, type) || has(other, type))) return 'numbers';
  if (has(main, 'stacks') && has(other, 'stacks')) return 'stacks';
  return has(main, 'asset') || has(other, 'asset') ? 'assets' : 'stacks';
}

function NothingToCompare({ name }: { readonly name: string }) {
  return (
    <div class="empty">
      <h2>Compare with another trace</h2>
      <p>
        Open a second trace, for example from yesterday or from another machine. Its frames, memory,
        assets and stacks are shown beside those of {name}, with the differences. Drop the file
        here, or:
      </p>
      <p class="empty-action">
        <button type="button" class="button primary" onClick={() => pickFile(openOther)}>
          Choose a file…
        </button>
      </p>
    </div>
  );
}
