// The progress of a trace that is being opened, and why the last one was rejected.
import { formatBytes } from '../../format/numbers.ts';
import { opening, refusal } from '../../traces/open-traces.ts';

export function OpeningBar() {
  const now = opening.value;
  if (now === null) return null;
  const part = now.total === null || now.total === 0 ? undefined : now.done / now.total;
  return (
    <div class="opening" role="status">
      <span>
        Reading {now.name}: {formatBytes(now.done)}
        {now.total === null ? '' : ` of ${formatBytes(now.total)}`}
      </span>
      <progress max={1} value={part} aria-label={`Reading ${now.name}`} />
      <button type="button" class="button small" onClick={() => now.cancel.abort()}>
        Cancel
      </button>
    </div>
  );
}

export function Refusal() {
  const refused = refusal.value;
  if (refused === null) return null;
  const { line, column, message } = refused.fault;
  return (
    <div class="banner tone-bad" role="alert">
      <div>
        <b>{refused.name} was not opened.</b> {message}
        {line !== null && (
          <span class="place">
            line {line}, column {column ?? 1}
          </span>
        )}
      </div>
      <button
        type="button"
        class="button small"
        onClick={() => {
          refusal.value = null;
        }}
      >
        Dismiss
      </button>
    </div>
  );
}
