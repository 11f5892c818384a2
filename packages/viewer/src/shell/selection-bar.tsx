// Shows the selected time range, and clears it.
import { formatClock, formatMs } from '../format/numbers.ts';
import { selection } from '../state/address.ts';
import { showMoment } from '../views/moment/moment-dialog.tsx';

export function SelectionBar() {
  const range = selection.value;
  if (range === null) return null;
  return (
    <div class="selection" role="status">
      <span>
        Selected <b>{formatClock(range.from)}</b> to <b>{formatClock(range.to)}</b> (
        {formatMs(range.to - range.from)}). Timeline, Frames, Stacks, Assets and Compare show this
        time range.
      </span>
      <button
        type="button"
        class="button small"
        title="What happened in this time range (M)"
        onClick={() => showMoment(range)}
      >
        What happened here
      </button>
      <button
        type="button"
        class="button small"
        title="Escape"
        onClick={() => {
          selection.value = null;
        }}
      >
        Show all
      </button>
    </div>
  );
}
