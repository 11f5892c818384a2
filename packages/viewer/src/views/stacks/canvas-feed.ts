// Transfers a canvas to the worker and sends it views: one drawing at a time, always the latest view.
import { engineFor } from '../../client/engine-client.ts';
import type { FlamePalette, FlameView } from './draw/flame-view.ts';
import type { StackCalls } from './stack-calls.ts';

const engine = engineFor<StackCalls>();

/** The two canvases of a flame graph. */
export type FlameFeeds = { readonly main: CanvasFeed; readonly overview: CanvasFeed };

export class CanvasFeed {
  readonly #name: string;
  #canvas: HTMLCanvasElement | null = null;
  #next: { view: FlameView; palette: FlamePalette } | null = null;
  #drawing = false;
  /** The palette that the worker already has. */
  #known: FlamePalette | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  /** Creates a canvas in `parent`. A canvas can be transferred only once, so each call creates a new one. */
  attach(parent: HTMLElement | null): void {
    if (parent === null || this.#canvas !== null) return;
    this.#canvas = document.createElement('canvas');
    this.#canvas.setAttribute('aria-hidden', 'true');
    parent.prepend(this.#canvas);
    const surface = this.#canvas.transferControlToOffscreen();
    void engine.call('attachCanvas', { canvas: this.#name, surface }, { transfer: [surface] });
  }

  detach(): void {
    this.#canvas?.remove();
    this.#canvas = null;
    this.#next = null;
    this.#known = null;
    void engine.call('detachCanvas', { canvas: this.#name });
  }

  draw(view: FlameView, palette: FlamePalette): void {
    this.#next = { view, palette };
    if (!this.#drawing) void this.#run();
  }

  async #run(): Promise<void> {
    this.#drawing = true;
    while (this.#next !== null) {
      const { view, palette } = this.#next;
      this.#next = null;
      const news = palette === this.#known ? null : palette;
      this.#known = palette;
      await engine.call('drawFlame', { canvas: this.#name, view, palette: news }).catch(() => null);
    }
    this.#drawing = false;
  }
}
