// One finding with its evidence. Evidence with a time links to the timeline.
import type { Evidence, Finding } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock, formatMs, formatValue } from '../../format/numbers.ts';
import { view } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { lookAt } from '../timeline/timeline-state.ts';

const NAMES = { critical: 'Critical', warning: 'Warning', info: 'Note' } as const;
const TONES = { critical: 'tone-bad', warning: 'tone-warn', info: '' } as const;
/** The time shown before and after an instant. */
const AROUND_MS = 50;

export function FindingCard({ finding }: { readonly finding: Finding }) {
  const { severity, title, detail, evidence } = finding;
  const first = evidence.find((one) => rangeOf(one) !== null);
  return (
    <li class={`finding severity-${severity}`}>
      <header>
        <span class={`chip ${TONES[severity]}`}>{NAMES[severity]}</span>
        <h2>{title}</h2>
        {first !== undefined && (
          <button
            type="button"
            class="button small"
            aria-label={`Show me: ${title}`}
            onClick={() => showOnTimeline(first)}
          >
            Show me
          </button>
        )}
      </header>
      <p>{detail}</p>
      <ul class="evidence">
        {evidence.map((one, index) => (
          <li key={index}>
            <span class="ellipsis" title={one.label}>
              {one.label}
            </span>
            {one.value !== undefined && <b>{valueText(one)}</b>}
            {one.t !== undefined && (
              <button
                type="button"
                class="row-button"
                disabled={rangeOf(one) === null}
                onClick={() => showOnTimeline(one)}
              >
                <span class="visually-hidden">Show {one.label} at </span>
                {formatClock(one.t)}
                {one.duration_ms !== undefined && ` for ${formatMs(one.duration_ms)}`}
              </button>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}

function valueText({ value, unit }: Evidence): string {
  return typeof value === 'number'
    ? formatValue(value, unit ?? '')
    : `${value} ${unit ?? ''}`.trim();
}

/** Returns the time range of the evidence. Returns null if it has no time, or a time outside of the trace. */
function rangeOf({ t, duration_ms }: Evidence): TimeRange | null {
  const end = mainTrace.value?.durationMs ?? 0;
  if (t === undefined || t > end) return null;
  const length = duration_ms ?? 0;
  const from = Math.max(0, length > 0 ? t : t - AROUND_MS);
  const to = Math.min(Math.max(end, from + 1), t + (length > 0 ? length : AROUND_MS));
  return to > from ? { from, to } : null;
}

/** Selects the range of the evidence, and shows it on the timeline. */
function showOnTimeline(evidence: Evidence): void {
  const range = rangeOf(evidence);
  if (range === null) return;
  lookAt(range);
  view.value = 'timeline';
  document.getElementById('view')?.focus();
}
