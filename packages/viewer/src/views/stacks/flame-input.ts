// Wheel, drag, clicks and keys on a flame graph zoom, move and choose boxes.
import type { Signal } from '@preact/signals';
import { engineFor } from '../../client/engine-client.ts';
import type { BoxInfo, FlameInfo, Neighbour } from './draw/flame-info.ts';
import {
  clampViewport,
  isSameBox,
  panViewport,
  type Viewport,
  viewportOfBox,
  zoomViewport,
} from './layout/viewport.ts';
import type { StackCalls } from './stack-calls.ts';
import type { MatchStep } from './stack-state.ts';

const engine = engineFor<StackCalls>();

/** The height of a row in CSS pixels, including its gap. */
export const ROW_PX = 18;
const CLICK_PX = 4;
/** A match narrower than this is zoomed to, with `MATCH_ROOM` times its width on each side. */
const NARROWEST_MATCH_PX = 24;
const MATCH_ROOM = 6;

type Parts = {
  readonly name: string;
  readonly info: Signal<FlameInfo | null>;
  readonly viewport: Signal<Viewport>;
  readonly hover: Signal<BoxInfo | null>;
  readonly chosen: Signal<BoxInfo | null>;
  /** The size of the graph in CSS pixels. Reading it from the element would cause a layout at each step. */
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly upward: boolean;
  readonly open: ((box: BoxInfo) => void) | undefined;
};

type Place = { readonly x: number; readonly y: number };
type Drag = Place & { readonly viewport: Viewport; moved: boolean };

export class FlameInput {
  readonly #element: HTMLElement;
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #drag: Drag | null = null;
  /** The position of the pointer; null if it is not over the boxes. */
  #pointer: Place | null = null;
  #asking = false;
  #wanted: Place | null = null;
  #steps: Promise<void> = Promise.resolve();

  constructor(element: HTMLElement, parts: Parts) {
    this.#element = element;
    this.#parts = parts;
    const { signal } = this.#stop;
    element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false, signal });
    element.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    element.addEventListener('pointermove', (event) => this.#move(event), { signal });
    element.addEventListener('pointerup', (event) => void this.#up(event), { signal });
    element.addEventListener('pointercancel', (event) => this.#release(event), { signal });
    element.addEventListener('pointerleave', () => this.#leave(), { signal });
    element.addEventListener('dblclick', (event) => void this.#zoomTo(this.#place(event)), {
      signal,
    });
    element.addEventListener('keydown', (event) => this.#key(event), { signal });
  }

  stop(): void {
    this.#stop.abort();
  }

  get #height(): number {
    return this.#parts.size.peek().height;
  }

  get #width(): number {
    return Math.max(1, this.#parts.size.peek().width);
  }

  #place(event: MouseEvent): Place {
    const rect = this.#element.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  }

  #set(viewport: Viewport): void {
    const info = this.#parts.info.peek();
    if (info === null) return;
    this.#parts.viewport.value = clampViewport(viewport, info, this.#height, ROW_PX);
    // Another box may now be under the pointer.
    if (this.#pointer !== null && this.#drag === null) void this.#ask(this.#pointer);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const viewport = this.#parts.viewport.peek();
    const width = this.#width;
    if (event.ctrlKey || event.metaKey) {
      this.#set(zoomViewport(viewport, this.#place(event).x / width, 1.004 ** event.deltaY));
      return;
    }
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    const down = event.shiftKey ? 0 : event.deltaY;
    const info = this.#parts.info.peek();
    const fits = info !== null && info.rows * ROW_PX <= this.#height;
    // If all rows fit, the wheel zooms.
    if (fits && down !== 0 && Math.abs(down) > Math.abs(sideways)) {
      this.#set(zoomViewport(viewport, this.#place(event).x / width, 1.0018 ** event.deltaY));
    } else {
      this.#set(panViewport(viewport, sideways / width, this.#parts.upward ? -down : down));
    }
  }

  #down(event: PointerEvent): void {
    if (event.button > 1) return;
    this.#element.setPointerCapture(event.pointerId);
    const at = this.#place(event);
    this.#pointers.set(event.pointerId, at);
    this.#drag = { ...at, viewport: this.#parts.viewport.peek(), moved: false };
  }

  #move(event: PointerEvent): void {
    const at = this.#place(event);
    this.#pointer = at;
    if (this.#pointers.size === 2 && this.#pointers.has(event.pointerId)) {
      this.#pinch(event.pointerId, at);
      return;
    }
    const drag = this.#drag;
    if (drag === null) {
      void this.#ask(at);
      return;
    }
    if (!drag.moved && Math.hypot(at.x - drag.x, at.y - drag.y) < CLICK_PX) return;
    drag.moved = true;
    this.#parts.hover.value = null;
    const down = drag.y - at.y;
    this.#set(
      panViewport(drag.viewport, (drag.x - at.x) / this.#width, this.#parts.upward ? -down : down),
    );
  }

  #pinch(id: number, at: Place): void {
    const spread = (): number => {
      const [a, b] = [...this.#pointers.values()];
      return a === undefined || b === undefined ? 1 : Math.max(8, Math.abs(a.x - b.x));
    };
    const before = spread();
    this.#pointers.set(id, at);
    if (this.#drag !== null) this.#drag.moved = true;
    this.#set(zoomViewport(this.#parts.viewport.peek(), at.x / this.#width, before / spread()));
  }

  async #up(event: PointerEvent): Promise<void> {
    const drag = this.#drag;
    this.#release(event);
    if (drag === null || drag.moved) return;
    const found = await this.#hit(this.#place(event));
    this.#parts.chosen.value = found;
    this.#element.focus({ preventScroll: true });
  }

  #release(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    this.#drag = null;
  }

  #leave(): void {
    this.#pointer = null;
    this.#wanted = null;
    this.#parts.hover.value = null;
  }

  /** Requests the box under the pointer: one request at a time, always for the latest position. */
  async #ask(at: Place): Promise<void> {
    this.#wanted = at;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#wanted !== null) {
      const place: Place = this.#wanted;
      this.#wanted = null;
      const found = await this.#hit(place).catch(() => null);
      // The pointer may have left or started a drag before the answer.
      if (this.#drag !== null || this.#pointer === null) continue;
      const { hover } = this.#parts;
      if (!isSameBox(found, hover.peek())) hover.value = found;
    }
    this.#asking = false;
  }

  #hit({ x, y }: Place): Promise<BoxInfo | null> {
    const { name, viewport, upward } = this.#parts;
    const { x0, x1, top } = viewport.peek();
    const down = upward ? this.#height - y : y;
    const row = Math.floor((top + down) / ROW_PX);
    const weight = x0 + (x / this.#width) * (x1 - x0);
    return engine.call('hitFlame', { canvas: name, row, x: weight });
  }

  async #zoomTo(at: Place): Promise<void> {
    const found = await this.#hit(at);
    if (found === null) return;
    this.#parts.chosen.value = found;
    this.#set(viewportOfBox(found, this.#parts.viewport.peek(), this.#height, ROW_PX));
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { chosen, viewport, upward, open } = this.#parts;
    const up: Neighbour = upward ? 'child' : 'parent';
    const down: Neighbour = upward ? 'parent' : 'child';
    const steps: Readonly<Record<string, () => void | Promise<void>>> = {
      ArrowUp: () => this.#go(up),
      ArrowDown: () => this.#go(down),
      ArrowLeft: () => this.#go('previous'),
      ArrowRight: () => this.#go('next'),
      '+': () => this.#set(zoomViewport(viewport.peek(), 0.5, 0.7)),
      '=': () => this.#set(zoomViewport(viewport.peek(), 0.5, 0.7)),
      '-': () => this.#set(zoomViewport(viewport.peek(), 0.5, 1.4)),
      '0': () => this.#showAll(),
      PageDown: () => this.#set(panViewport(viewport.peek(), 0, this.#height * 0.8)),
      PageUp: () => this.#set(panViewport(viewport.peek(), 0, -this.#height * 0.8)),
      Enter: () => {
        const box = chosen.peek();
        if (box === null) return this.#go('first');
        if (event.shiftKey) open?.(box);
        else this.#set(viewportOfBox(box, viewport.peek(), this.#height, ROW_PX));
      },
      Escape: () => {
        chosen.value = null;
        this.#showAll();
      },
    };
    const step = steps[event.key];
    if (step === undefined || (event.key === 'Escape' && !this.#holdsOn())) return;
    event.preventDefault();
    event.stopPropagation();
    // Steps run one after another, so that each key starts from the box that the previous key reached.
    this.#then(step);
  }

  /** Runs a step after the previous one. The first step waits for the graph. */
  #then(step: () => void | Promise<void>): void {
    this.#steps = Promise.all([this.#steps, this.#laidOut()])
      .then(step)
      .catch(() => undefined);
  }

  #laidOut(): Promise<void> {
    const { info } = this.#parts;
    const { signal } = this.#stop;
    if (info.peek() !== null) return Promise.resolve();
    let stop = (): void => undefined;
    const there = new Promise<void>((resolve, reject) => {
      stop = info.subscribe((value) => value !== null && resolve());
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return there.finally(() => stop());
  }

  #showAll(): void {
    this.#set({ x0: 0, x1: this.#parts.info.peek()?.span ?? 1, top: 0 });
  }

  /** Returns whether there is something to reset: a chosen box, a zoom or a scroll position. */
  #holdsOn(): boolean {
    const { chosen, viewport, info } = this.#parts;
    const { x0, x1, top } = viewport.peek();
    return chosen.peek() !== null || x0 > 0 || x1 < (info.peek()?.span ?? 0) || top > 0;
  }

  /** Goes to the match after or before the chosen box, and zooms until it is visible. */
  goToMatch({ to, pattern }: MatchStep): void {
    this.#then(async () => {
      const { chosen, viewport, name } = this.#parts;
      // The user may press Enter before the page has requested the search.
      await engine.call('searchFlame', { canvas: name, pattern });
      await this.#go(to);
      const box = chosen.peek();
      const { x0, x1, top } = viewport.peek();
      if (box === null || ((box.x1 - box.x0) / (x1 - x0)) * this.#width >= NARROWEST_MATCH_PX) {
        return;
      }
      const room = (box.x1 - box.x0) * MATCH_ROOM;
      this.#set({ x0: box.x0 - room, x1: box.x1 + room, top });
    });
  }

  async #go(to: Neighbour): Promise<void> {
    const { chosen, viewport, name } = this.#parts;
    const from = chosen.peek();
    const found = await engine.call('nearFlame', {
      canvas: name,
      box: from?.box ?? -1,
      to: from === null && !to.endsWith('match') ? 'first' : to,
    });
    if (found === null) return;
    chosen.value = found;
    const { x0, x1, top } = viewport.peek();
    const y = found.row * ROW_PX;
    const visible = found.x1 > x0 && found.x0 < x1;
    const next = visible
      ? { x0, x1 }
      : { x0: (found.x0 + found.x1 - (x1 - x0)) / 2, x1: (found.x0 + found.x1 + (x1 - x0)) / 2 };
    const scrolled =
      y < top ? y : y + ROW_PX > top + this.#height ? y + ROW_PX - this.#height : top;
    this.#set({ ...next, top: scrolled });
  }
}
