// Wheel, drag and pinch on the timeline zoom, move and select.
import { panBy, xToTime, zoomAt } from '../../draw/time-axis.ts';
import { selection } from '../../state/address.ts';
import { clamped } from './clamp-selection.ts';
import { showFrameAt } from './frame-at-cursor.ts';
import { AXIS_HEIGHT } from './layout/track-rows.ts';
import { handleTimelineKey } from './timeline-keys.ts';
import {
  isCursorHeld,
  placeCursor,
  releaseCursor,
  visibleRange,
  wholeRange,
} from './timeline-state.ts';

type Drag = {
  readonly kind: 'select' | 'move';
  readonly startX: number;
  readonly startT: number;
  moved: boolean;
};

/** A press that moves fewer pixels than this is a click. */
const CLICK_PX = 4;

/** Handles input on the timeline's element. Returns a function that removes the listeners. */
export function handleTimelineInput(element: HTMLElement): () => void {
  const input = new TimelineInput(element);
  return () => input.stop();
}

class TimelineInput {
  readonly #element: HTMLElement;
  readonly #stop = new AbortController();
  /** The x of each pressed pointer, by its id. */
  readonly #pointers = new Map<number, number>();
  #drag: Drag | null = null;

  constructor(element: HTMLElement) {
    this.#element = element;
    const { signal } = this.#stop;
    element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false, signal });
    element.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    element.addEventListener('pointermove', (event) => this.#move(event), { signal });
    element.addEventListener('pointerup', (event) => this.#up(event), { signal });
    element.addEventListener('pointercancel', (event) => this.#up(event), { signal });
    element.addEventListener('pointerleave', () => this.#leave(), { signal });
    element.addEventListener('dblclick', (event) => this.#open(event), { signal });
    element.addEventListener('keydown', (event) => handleTimelineKey(event), { signal });
  }

  stop(): void {
    this.#stop.abort();
  }

  #place(event: MouseEvent): { x: number; y: number; width: number } {
    const rect = this.#element.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top, width: rect.width };
  }

  #timeOf(event: MouseEvent): number {
    const { x, width } = this.#place(event);
    return xToTime(visibleRange.value, width, x);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    const whole = wholeRange.value;
    if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) {
      const span = visibleRange.value.to - visibleRange.value.from;
      const ms = (sideways / this.#place(event).width) * span;
      visibleRange.value = panBy(visibleRange.value, ms, whole);
    } else {
      visibleRange.value = zoomAt(
        visibleRange.value,
        this.#timeOf(event),
        1.0018 ** event.deltaY,
        whole,
      );
    }
  }

  #down(event: PointerEvent): void {
    if (event.button > 1) return;
    this.#element.setPointerCapture(event.pointerId);
    const { x, y } = this.#place(event);
    this.#pointers.set(event.pointerId, x);
    const moves =
      event.shiftKey || event.button === 1 || y < AXIS_HEIGHT || event.pointerType === 'touch';
    const kind = moves ? 'move' : 'select';
    this.#drag = { kind, startX: x, startT: this.#timeOf(event), moved: false };
  }

  #move(event: PointerEvent): void {
    const { x, width } = this.#place(event);
    if (this.#pointers.size === 2) {
      this.#pinch(event.pointerId, x, width);
      return;
    }
    const whole = wholeRange.value;
    placeCursor(this.#timeOf(event), event.pointerType === 'touch');
    const drag = this.#drag;
    if (drag === null || (!drag.moved && Math.abs(x - drag.startX) < CLICK_PX)) return;
    drag.moved = true;
    if (drag.kind === 'select') selection.value = clamped(drag.startT, this.#timeOf(event));
    else visibleRange.value = panBy(visibleRange.value, drag.startT - this.#timeOf(event), whole);
  }

  #pinch(id: number, x: number, width: number): void {
    const before = [...this.#pointers.values()];
    this.#pointers.set(id, x);
    const after = [...this.#pointers.values()];
    const spread = (at: number[]): number => Math.max(8, Math.abs((at[0] ?? 0) - (at[1] ?? 0)));
    const middle = xToTime(visibleRange.value, width, ((after[0] ?? 0) + (after[1] ?? 0)) / 2);
    visibleRange.value = zoomAt(
      visibleRange.value,
      middle,
      spread(before) / spread(after),
      wholeRange.value,
    );
  }

  #up(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    if (this.#drag !== null && !this.#drag.moved && this.#drag.kind === 'select') {
      selection.value = null;
    }
    // A finger does not hover, so a tap places the crosshair. A touch that scrolls the page is cancelled instead.
    if (event.type === 'pointerup' && event.pointerType === 'touch') {
      placeCursor(this.#timeOf(event), true);
    }
    this.#drag = null;
  }

  /** A double click opens the longest frame near it. Without frames it shows the selection. */
  #open(event: MouseEvent): void {
    const span = visibleRange.value.to - visibleRange.value.from;
    const near = (span / Math.max(1, this.#place(event).width)) * CLICK_PX;
    if (!showFrameAt(this.#timeOf(event), near)) showSelection();
  }

  #leave(): void {
    if (this.#drag === null && !isCursorHeld.value) releaseCursor();
  }
}

function showSelection(): void {
  visibleRange.value = selection.value ?? wholeRange.value;
}
