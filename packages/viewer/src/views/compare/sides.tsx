// Shows which traces and time ranges are compared, and lets the user choose the range of the other trace.
import { useSignal } from '@preact/signals';
import { type NoteRecord, noteTitle } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { noteRange, shownText } from '../../notes/note-range.ts';
import { otherRange, selection } from '../../state/address.ts';
import { mainTrace, otherTrace } from '../../traces/open-traces.ts';
import { buildsText } from './builds-text.ts';
import { comparedRanges, initialOtherRange, rangeText } from './compared-ranges.ts';

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
            <OtherRange durationMs={other.durationMs} named={namedRanges(other.notes)} />
          ) : (
            <span>{rangeText(null, 0)}</span>
          )}
        </dd>
      </div>
      <div>
        <dt>After</dt>
        <dd>
          <b class="wrap-anywhere">{main.name}</b>
          <span>
            {rangeText(selection.value, main.durationMs)}
            {selection.value !== null && ', selected'}
          </span>
        </dd>
      </div>
      <div>
        <dt>Builds</dt>
        <dd class="wrap-anywhere">{buildsText(other.build, main.build)}</dd>
      </div>
    </dl>
  );
}

/** A range of the trace before, by the name that a note gives it. */
type Named = { readonly title: string; readonly range: TimeRange };

/** The most ranges in the list. */
const MOST_RANGES = 100;

function namedRanges(notes: readonly NoteRecord[]): Named[] {
  const named = notes.flatMap((note) => {
    const range = noteRange(note);
    return range === null ? [] : [{ title: shownText(noteTitle(note)), range }];
  });
  return named.slice(0, MOST_RANGES);
}

function OtherRange({
  durationMs,
  named,
}: {
  readonly durationMs: number;
  readonly named: readonly Named[];
}) {
  const chosen = otherRange.value;
  const kind = chosen === null ? 'all' : chosen === 'same' ? 'same' : 'own';
  return (
    <>
      <select
        aria-label="Time range of the trace before"
        value={kind}
        onChange={(event) => {
          const { value } = event.currentTarget;
          const note = named[Number(value)];
          if (note !== undefined) otherRange.value = note.range;
          else
            otherRange.value =
              value === 'own' ? initialOtherRange() : value === 'same' ? 'same' : null;
        }}
      >
        <option value="all">{rangeText(null, durationMs)}</option>
        <option value="same">the same times as the selection</option>
        <option value="own">its own time range</option>
        {named.map(({ title, range }, index) => (
          <option key={index} value={index}>
            {title}, {rangeText(range, durationMs)}
          </option>
        ))}
      </select>
      {kind === 'same' && <span>{rangeText(comparedRanges.value.before, durationMs)}</span>}
      {chosen !== null && chosen !== 'same' && <OwnRange range={chosen} end={durationMs} />}
    </>
  );
}

function OwnRange({ range, end }: { readonly range: TimeRange; readonly end: number }) {
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
          if (!wrong.value) otherRange.value = next;
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
          The end must be after the start.
        </span>
      )}
    </>
  );
}
