// The timeline's data and its visible range. Both outlive the view.
import { computed, effect, signal, untracked } from '@preact/signals';
import { engineFor } from '../../client/engine-client.ts';
import { followGrowth, panBy, type TimeRange, within } from '../../draw/time-axis.ts';
import { selection } from '../../state/address.ts';
import { mainTrace, traceId } from '../../traces/open-traces.ts';
import { notes } from '../../traces/trace-notes.ts';
import { noteTracks } from './layout/note-tracks.ts';
import { trackRows } from './layout/track-rows.ts';
import type { Timeline, TimelineCalls } from './timeline-data.ts';

const engine = engineFor<TimelineCalls>();

/** What was measured. */
export const measured = signal<Timeline | null>(null);
/** The notes, then what was measured. Null until a trace is open. */
export const timeline = computed(
  () =>
    measured.value && {
      ...measured.value,
      tracks: [...noteTracks(notes.value), ...measured.value.tracks],
    },
);
/** From 0 to the end of the trace, never empty. */
export const wholeRange = computed<TimeRange>(() => ({
  from: 0,
  to: Math.max(1, timeline.value?.duration ?? 1),
}));
export const visibleRange = signal<TimeRange>({ from: 0, to: 1 });
/** The height that the window has for the tracks, in CSS pixels. */
export const trackRoom = signal(0);
export const rows = computed(() => trackRows(timeline.value?.tracks ?? [], trackRoom.value));
/** The time of the crosshair in ms; null if there is none. */
export const cursor = signal<number | null>(null);
/** Whether the crosshair stays when the pointer leaves, because a key or a finger placed it. */
export const isCursorHeld = signal(false);

let shownId = '';
let requests = 0;

effect(() => {
  if (mainTrace.value !== null) untracked(() => void load(traceId.value));
});

async function load(id: string): Promise<void> {
  const request = ++requests;
  const next = await engine.call('timeline', { slot: 'main' });
  if (request !== requests) return;
  const before = wholeRange.value;
  measured.value = next;
  visibleRange.value =
    id === shownId ? followGrowth(visibleRange.value, before, wholeRange.value) : wholeRange.value;
  if (id !== shownId) releaseCursor();
  shownId = id;
}

/** Places the crosshair at a time within the trace. */
export function placeCursor(t: number, isHeld: boolean): void {
  cursor.value = Math.min(wholeRange.value.to, Math.max(0, t));
  isCursorHeld.value = isHeld;
}

/** Removes the crosshair. */
export function releaseCursor(): void {
  cursor.value = null;
  isCursorHeld.value = false;
}

/** Places the crosshair at a time, and moves the view to it if it is outside. */
export function lookAtTime(t: number): void {
  placeCursor(t, true);
  const { from, to } = visibleRange.value;
  if (t < from || t > to)
    visibleRange.value = panBy(visibleRange.value, t - (from + to) / 2, wholeRange.value);
}

/** The room on each side of a range: `ROOM` times its length, but at least `ROOM_MS`. */
const ROOM_MS = 200;
const ROOM = 4;

/** Selects a range, and moves the view to it with some room around, unless it is already well visible. */
export function lookAt(range: TimeRange): void {
  selection.value = range;
  const room = Math.max(range.to - range.from, ROOM_MS / ROOM) * ROOM;
  const around = within({ from: range.from - room, to: range.to + room }, wholeRange.value);
  const { from, to } = visibleRange.value;
  const near = to - from <= (around.to - around.from) * ROOM;
  if (!near || range.from < from || range.to > to) visibleRange.value = around;
}
