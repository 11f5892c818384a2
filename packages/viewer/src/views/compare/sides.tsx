// What is compared with what: both traces by name, and which stretch of each.
import { useSignal } from '@preact/signals';
import type { TimeRange } from '../../draw/time-axis.ts';
import { otherStretch, selection } from '../../state/address.ts';
import { mainTrace, otherTrace } from '../../traces/open-traces.ts';
import { firstOwnStretch, stretches, stretchText } from './stretches.ts';

export function Sides() {
  const main = mainTrace.value;
  const other = otherTrace.value;
  if (main === null || other === null) return null;
  return (
    <dl class="sides" aria-label="What is compared">
      <div>
        <dt>Before</dt>
        <dd>
          <b class="wrap-anywhere">{other.name}</b>
          {other.durationMs > 0 ? (
            <OtherStretch durationMs={other.durationMs} />
          ) : (
            <span>{stretchText(null, 0)}</span>
          )}
        </dd>
      </div>
      <div>
        <dt>After</dt>
        <dd>
          <b class="wrap-anywhere">{main.name}</b>
          <span>
            {stretchText(selection.value, main.durationMs)}
            {selection.value !== null && ', selected'}
          </span>
        </dd>
      </div>
    </dl>
  );
}

function OtherStretch({ durationMs }: { readonly durationMs: number }) {
  const chosen = otherStretch.value;
  const kind = chosen === null ? 'all' : chosen === 'same' ? 'same' : 'own';
  return (
    <>
      <select
        aria-label="Stretch of the trace before"
        value={kind}
        onChange={(event) => {
          const { value } = event.currentTarget;
          otherStretch.value =
            value === 'own' ? firstOwnStretch() : value === 'same' ? 'same' : null;
        }}
      >
        <option value="all">{stretchText(null, durationMs)}</option>
        <option value="same">the same times as selected after</option>
        <option value="own">a stretch of its own</option>
      </select>
      {kind === 'same' && <span>{stretchText(stretches.value.before, durationMs)}</span>}
      {chosen !== null && chosen !== 'same' && <OwnStretch range={chosen} end={durationMs} />}
    </>
  );
}

function OwnStretch({ range, end }: { readonly range: TimeRange; readonly end: number }) {
  const wrong = useSignal(false);
  const field = (name: 'from' | 'to') => (
    <label class="field-inline">
      {name}
      <input
        type="number"
        min="0"
        max={end / 1000}
        step="any"
        aria-label={`${name}, in seconds`}
        aria-invalid={wrong.value}
        value={Number((range[name] / 1000).toFixed(3))}
        onChange={(event) => {
          const next = { ...range, [name]: Number(event.currentTarget.value) * 1000 };
          wrong.value = !(next.from >= 0 && next.to > next.from);
          if (!wrong.value) otherStretch.value = next;
        }}
      />
      s
    </label>
  );
  return (
    <>
      {field('from')}
      {field('to')}
      {wrong.value && (
        <span class="fault" role="alert">
          A stretch ends after it begins.
        </span>
      )}
    </>
  );
}
