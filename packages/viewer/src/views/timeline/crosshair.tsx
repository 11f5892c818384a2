// The crosshair: one line across all tracks, its time, and the second around it. Nothing below it is drawn again.
import { useComputed } from '@preact/signals';
import { timeToX } from '../../draw/time-axis.ts';
import { formatClock } from '../../format/numbers.ts';
import { spokenReadOut } from './layout/hit.ts';
import { secondOf } from './layout/second-of.ts';
import { cursor, isCursorHeld, timeline, visibleRange, wholeRange } from './timeline-state.ts';

/** Closer to the right edge than this, the time is left of the line. */
const TIME_PX = 80;
/** A narrower second is not shown. */
const NARROWEST_SECOND_PX = 6;

export function Crosshair({ width }: { readonly width: number }) {
  const t = cursor.value;
  if (t === null) return null;
  const { from, to } = visibleRange.value;
  const x = timeToX(visibleRange.value, width, t);
  if (x < 0 || x > width) return null;
  return (
    <>
      <Second t={t} width={width} />
      <i
        class={x > width - TIME_PX ? 'cursor at-right' : 'cursor'}
        style={{ transform: `translateX(${x.toFixed(1)}px)` }}
        aria-hidden="true"
      >
        <span>{formatClock(t, (to - from) / 500)}</span>
      </i>
    </>
  );
}

function Second({ t, width }: { readonly t: number; readonly width: number }) {
  const second = secondOf(t, wholeRange.value.to);
  const left = timeToX(visibleRange.value, width, second.from);
  const right = timeToX(visibleRange.value, width, second.to);
  if (right - left < NARROWEST_SECOND_PX) return null;
  return (
    <i
      class="cursor-second"
      style={{ left: `${left}px`, width: `${right - left}px` }}
      aria-hidden="true"
    />
  );
}

/** The crosshair on the overview of the whole trace. */
export function OverviewCrosshair({ width }: { readonly width: number }) {
  if (cursor.value === null) return null;
  const x = timeToX(wholeRange.value, width, cursor.value);
  return <i class="cursor" style={{ transform: `translateX(${x.toFixed(1)}px)` }} />;
}

/** Says the values to screen readers when a key or a finger moves the crosshair. */
export function SpokenReadOut({ near }: { readonly near: number }) {
  const text = useComputed(() => {
    const t = isCursorHeld.value ? cursor.value : null;
    return t === null ? '' : spokenReadOut(timeline.value?.tracks ?? [], t, near);
  });
  return (
    <p class="visually-hidden" aria-live="polite">
      {text}
    </p>
  );
}
