// Keys on the timeline: arrows move the crosshair, select and zoom, plus and minus zoom.
import { panBy, type TimeRange, timeToX, zoomAt } from '../../draw/time-axis.ts';
import { selection } from '../../state/address.ts';
import { clamped } from './clamp-selection.ts';
import {
  cursor,
  isCursorHeld,
  placeCursor,
  releaseCursor,
  visibleRange,
  wholeRange,
} from './timeline-state.ts';

/** The number of key presses from one edge of the view to the other. */
const STEPS = 50;

/** Handles the timeline's keys. Other keys, and keys with Ctrl, Alt or Meta, are left to the browser. */
export function handleTimelineKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const span = visibleRange.value.to - visibleRange.value.from;
  const whole = wholeRange.value;
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => (event.shiftKey ? extendSelection(-span / 40) : moveCursor(-span / STEPS)),
    ArrowRight: () => (event.shiftKey ? extendSelection(span / 40) : moveCursor(span / STEPS)),
    ArrowUp: () => zoom(0.8),
    ArrowDown: () => zoom(1.25),
    '+': () => zoom(0.8),
    '=': () => zoom(0.8),
    '-': () => zoom(1.25),
    Home: () => move(-whole.to),
    End: () => move(whole.to),
    '0': () => show(whole),
    ...(isCursorHeld.value && { Escape: releaseCursor }),
    Enter: () => show(selection.value ?? visibleRange.value),
  };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  step();
}

function show(range: TimeRange): void {
  visibleRange.value = range;
}

function move(ms: number): void {
  visibleRange.value = panBy(visibleRange.value, ms, wholeRange.value);
}

function zoom(factor: number): void {
  visibleRange.value = zoomAt(visibleRange.value, cursorOrMiddle(), factor, wholeRange.value);
}

/** Moves the right end of the selection by `ms`. Without a selection, one begins at the cursor or in the middle. */
function extendSelection(ms: number): void {
  const span = visibleRange.value.to - visibleRange.value.from;
  const start = cursorOrMiddle();
  const range = selection.value ?? { from: start, to: start };
  selection.value = clamped(range.from, Math.max(range.from + span / 1000, range.to + ms));
  const edge = timeToX(visibleRange.value, 1, range.to + ms);
  if (edge > 1) move(span / 4);
}

/** Moves the crosshair by `ms`, and the view with it at its edges. Without a crosshair, one appears in the middle. */
function moveCursor(ms: number): void {
  const { from, to } = visibleRange.value;
  placeCursor(isCursorVisible() ? cursorOrMiddle() + ms : (from + to) / 2, true);
  if (!isCursorVisible()) move(Math.sign(ms) * ((to - from) / 4));
}

function isCursorVisible(): boolean {
  const { from, to } = visibleRange.value;
  return cursor.value !== null && cursor.value >= from && cursor.value <= to;
}

function cursorOrMiddle(): number {
  const { from, to } = visibleRange.value;
  return isCursorVisible() ? (cursor.value ?? from) : (from + to) / 2;
}
