// Wheel, drag and keys on the timeline: to zooms, moves and selections.

import { panBy, rangeOf, timeToX, xToTime, zoomAt } from '../../draw/time-axis.ts';
import { selection } from '../../state/address.ts';
import { AXIS_HEIGHT } from './layout/track-rows.ts';
import { cursor, viewed, wholeRange } from './timeline-state.ts';

type Drag = {
  readonly kind: 'select' | 'move';
  readonly startX: number;
  readonly startT: number;
  moved: boolean;
};

/** A press that moves less than so many pixels is a click. */
const CLICK_PX = 4;

/** Listens on the timeline's element; returns how to stop. */
export function handleTimelineInput(element: HTMLElement): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const pointers = new Map<number, number>();
  let drag: Drag | null = null;
  const place = (event: MouseEvent): { x: number; y: number; width: number } => {
    const rect = element.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top, width: rect.width };
  };
  const timeOf = (event: MouseEvent): number => {
    const { x, width } = place(event);
    return xToTime(viewed.value, width, x);
  };

  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      const span = viewed.value.to - viewed.value.from;
      if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) {
        viewed.value = panBy(
          viewed.value,
          (sideways / place(event).width) * span,
          wholeRange.value,
        );
      } else {
        viewed.value = zoomAt(
          viewed.value,
          timeOf(event),
          1.0018 ** event.deltaY,
          wholeRange.value,
        );
      }
    },
    { passive: false, signal },
  );

  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button > 1) return;
      element.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event).x);
      const { x, y } = place(event);
      const moves =
        event.shiftKey || event.button === 1 || y < AXIS_HEIGHT || event.pointerType === 'touch';
      drag = { kind: moves ? 'move' : 'select', startX: x, startT: timeOf(event), moved: false };
    },
    { signal },
  );

  element.addEventListener(
    'pointermove',
    (event) => {
      const { x, width } = place(event);
      if (pointers.size === 2) {
        pinch(event, x, width);
        return;
      }
      cursor.value = Math.min(wholeRange.value.to, Math.max(0, timeOf(event)));
      if (drag === null || (!drag.moved && Math.abs(x - drag.startX) < CLICK_PX)) return;
      drag.moved = true;
      if (drag.kind === 'select') selection.value = clamped(drag.startT, timeOf(event));
      else viewed.value = panBy(viewed.value, drag.startT - timeOf(event), wholeRange.value);
    },
    { signal },
  );

  function pinch(event: PointerEvent, x: number, width: number): void {
    const before = [...pointers.values()];
    pointers.set(event.pointerId, x);
    const after = [...pointers.values()];
    const spread = (at: number[]): number => Math.max(8, Math.abs((at[0] ?? 0) - (at[1] ?? 0)));
    const middle = ((after[0] ?? 0) + (after[1] ?? 0)) / 2;
    viewed.value = zoomAt(
      viewed.value,
      xToTime(viewed.value, width, middle),
      spread(before) / spread(after),
      wholeRange.value,
    );
  }

  const up = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    if (drag !== null && !drag.moved && drag.kind === 'select') selection.value = null;
    drag = null;
  };
  element.addEventListener('pointerup', up, { signal });
  element.addEventListener('pointercancel', up, { signal });
  element.addEventListener(
    'pointerleave',
    () => {
      if (drag === null) cursor.value = null;
    },
    { signal },
  );
  element.addEventListener(
    'dblclick',
    () => {
      viewed.value = selection.value ?? wholeRange.value;
    },
    { signal },
  );
  element.addEventListener('keydown', (event) => takeKey(event), { signal });
  return () => stop.abort();
}

function clamped(a: number, b: number): { from: number; to: number } | null {
  const { from, to } = rangeOf(a, b);
  const left = Math.max(0, from);
  const right = Math.min(wholeRange.value.to, to);
  return right > left ? { from: left, to: right } : null;
}

function takeKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const span = viewed.value.to - viewed.value.from;
  const middle = viewed.value.from + span / 2;
  const whole = wholeRange.value;
  const steps: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => (event.shiftKey ? extend(-span / 40) : move(-span / 10)),
    ArrowRight: () => (event.shiftKey ? extend(span / 40) : move(span / 10)),
    ArrowUp: () => zoom(0.8),
    ArrowDown: () => zoom(1.25),
    '+': () => zoom(0.8),
    '=': () => zoom(0.8),
    '-': () => zoom(1.25),
    Home: () => move(-whole.to),
    End: () => move(whole.to),
    '0': () => {
      viewed.value = whole;
    },
    Enter: () => {
      if (selection.value !== null) viewed.value = selection.value;
    },
  };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  step();

  function move(ms: number): void {
    viewed.value = panBy(viewed.value, ms, whole);
  }
  function zoom(factor: number): void {
    viewed.value = zoomAt(viewed.value, cursor.value ?? middle, factor, whole);
  }
  // From the cursor, or the middle: the right end goes along with the arrows.
  function extend(ms: number): void {
    const range = selection.value ?? { from: cursor.value ?? middle, to: cursor.value ?? middle };
    selection.value = clamped(range.from, Math.max(range.from + span / 1000, range.to + ms));
    const edge = timeToX(viewed.value, 1, range.to + ms);
    if (edge > 1) move(span / 4);
  }
}
