// `@svc/collector/overlay`: a small panel over the game that is hidden until its key is pressed.

import { download, start, status, stop } from '../index.ts';
import { active, latest } from '../recording/active.ts';
import { quietly } from '../sink/sink.ts';
import { BARS, type Graph, makeGraph } from './graph.ts';
import { makePanel, type Panel } from './panel.ts';
import { heaviest, RecentFrames } from './readings.ts';

/** Update interval of the panel: frames every time, memory and assets every second time. */
const UPDATE_EVERY_MS = 1_000;
const ROWS = 5;

export type OverlayOptions = {
  /** The key that opens and closes it, as `KeyboardEvent.code`. `F9` by default. */
  readonly key?: string;
  /** Whether it is open at first. False by default. */
  readonly open?: boolean;
  /** The frame budget, for the line in the graph. One frame at 60 Hz by default. */
  readonly frameBudgetMs?: number;
};

/** The overlay of this page. */
let current: Overlay | null = null;

/**
 * Adds the overlay to the page and replaces an earlier one. Returns a function that removes it. Does nothing without a document.
 * Invalid options are ignored.
 */
export function addOverlay(options: OverlayOptions = {}): () => void {
  let remove = () => {};
  quietly(() => {
    if (globalThis.document === undefined) return;
    current?.remove();
    const { key, frameBudgetMs: budget, open } = options ?? {};
    const overlay = new Overlay(
      typeof key === 'string' && key !== '' ? key : 'F9',
      typeof budget === 'number' && budget > 0 && budget < 1_000 ? budget : 1000 / 60,
    );
    current = overlay;
    remove = () => quietly(() => overlay.remove());
    if (open === true) overlay.open();
  });
  return remove;
}

class Overlay {
  readonly #key: string;
  readonly #budgetMs: number;
  readonly #frames = new RecentFrames(BARS * 2);
  #panel: Panel | null = null;
  #graph: Graph | null = null;
  #open = false;
  #handle = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #before = Number.NaN;
  readonly #onKey = (event: KeyboardEvent) => {
    if (event.code !== this.#key || event.repeat) return;
    event.preventDefault();
    quietly(() => (this.#open ? this.close() : this.open()));
  };
  readonly #onFrame = (time: number) => {
    try {
      this.#handle = requestAnimationFrame(this.#onFrame);
    } catch {
      return;
    }
    const ms = time - this.#before;
    this.#before = time;
    if (ms > 0 && ms < 5_000) this.#frames.add(ms);
  };

  constructor(key: string, budgetMs: number) {
    this.#key = key;
    this.#budgetMs = budgetMs;
    addEventListener('keydown', this.#onKey, { capture: true });
  }

  /** Call it only while the overlay is closed. */
  open(): void {
    this.#open = true;
    this.#panel ??= makePanel(this.#key, this.#budgetMs, {
      record: () => {
        if (active() === null) start();
        else stop();
        quietly(() => this.#update(true));
      },
      save: () => download(),
      close: () => this.close(),
    });
    (document.body ?? document.documentElement).append(this.#panel.host);
    this.#graph ??= makeGraph(this.#panel.canvas, this.#panel.host);
    this.#graph.readColours();
    this.#update(true);
    let turn = 0;
    this.#timer = setInterval(() => quietly(() => this.#update(++turn % 2 === 0)), UPDATE_EVERY_MS);
  }

  /** A closed overlay costs nothing: it has no frame callback and no timer. */
  close(): void {
    this.#open = false;
    clearInterval(this.#timer);
    this.#stopWatching();
    this.#panel?.host.remove();
  }

  remove(): void {
    this.close();
    removeEventListener('keydown', this.#onKey, { capture: true });
  }

  /** Takes the frames of the running recording. Without one, the overlay measures frames itself. */
  #takeFrames(): void {
    const sink = active()?.sink;
    if (sink !== undefined && sink.recent !== null) {
      this.#stopWatching();
      this.#frames.take(sink.recent, sink.frame);
    } else if (this.#handle === 0) {
      this.#before = Number.NaN;
      this.#handle = requestAnimationFrame(this.#onFrame);
    }
  }

  #stopWatching(): void {
    cancelAnimationFrame(this.#handle);
    this.#handle = 0;
  }

  #update(all: boolean): void {
    this.#takeFrames();
    const frames = this.#frames;
    this.#panel?.showFrames(frames.fps(), frames.percentile(0.99));
    this.#graph?.draw(frames, this.#budgetMs);
    if (!all) return;
    const assets = latest()?.assets;
    this.#panel?.show({
      heapBytes: active()?.sink.heapBytes ?? heapBytes(),
      gpuBytes: assets?.gpuBytes ?? 0,
      heaviest: heaviest(assets?.all ?? [], ROWS, this.#budgetMs),
      status: status(),
    });
  }
}

function heapBytes(): number | null {
  const clock: Performance & { readonly memory?: { readonly usedJSHeapSize: number } } =
    performance;
  return clock.memory?.usedJSHeapSize ?? null;
}
