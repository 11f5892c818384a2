// Hands a canvas to the worker and feeds it views: one drawing at a time, always the latest.
import { engineFor } from '../../client/engine-client.ts';
import type { FlamePalette, FlameView } from './draw/flame-view.ts';
import type { StackCalls } from './stack-calls.ts';

const engine = engineFor<StackCalls>();

export class CanvasFeed {
  readonly #name: string;
  #canvas: HTMLCanvasElement | null = null;
  #next: { view: FlameView; palette: FlamePalette } | null = null;
  #drawing = false;
  /** The palette that the worker has already. */
  #known: FlamePalette | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  /** Makes a canvas in `parent`; a canvas can be handed over only once, so each time a new one. */
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
