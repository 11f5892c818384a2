// A flame graph on a canvas in the worker: its scene, drawing, search and hit tests.
import { FRAME_CATEGORIES, firstAbove, matchedTotal, matchFrames } from '@svc/trace';
import { fitName } from '../../../draw/fit-name.ts';
import { patternOf } from '../derive/query.ts';
import type { ShownTree } from '../derive/select-tree.ts';
import {
  boxAt,
  boxOfPath,
  type FlameLayout,
  firstEndingAfter,
  rowOf,
} from '../layout/flame-layout.ts';
import type { BoxInfo, FlameInfo, Neighbour, SearchInfo, VisibleBox } from './flame-info.ts';
import type { FlamePalette } from './flame-view.ts';
import { type FlameView, labelledBoxes, rasterFlame, rowTop } from './raster.ts';

/** What a canvas shows. `before` and `after` are totals of a differential graph, as scaled integers. */
export type Scene = {
  readonly shown: ShownTree;
  readonly layout: FlameLayout;
  readonly paint: Uint8Array;
  readonly instead: string | null;
  readonly diff: {
    readonly before: Float64Array;
    readonly after: Float64Array;
    readonly beforeSum: number;
    readonly afterSum: number;
  } | null;
};

const FONT_PX = 11;
/** Boxes narrower than this have no label, in CSS pixels. */
const NARROWEST_LABEL = 26;

export class FlameCanvas {
  readonly #surface: OffscreenCanvas;
  readonly #context: OffscreenCanvasRenderingContext2D;
  #scene: Scene | null = null;
  #palette: FlamePalette | null = null;
  #matchesBefore: Uint32Array | null = null;
  #pixels: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #names = new Map<number, string>();

  constructor(surface: OffscreenCanvas) {
    this.#surface = surface;
    const context = surface.getContext('2d', { alpha: false });
    if (context === null) throw new Error('This browser does not support 2D graphics in workers');
    this.#context = context;
  }

  show(scene: Scene): FlameInfo {
    this.#scene = scene;
    this.#matchesBefore = null;
    this.#names = new Map();
    const { shown, layout } = scene;
    const { tree } = shown;
    const categories = new Set<number>();
    for (let frame = 0; frame < tree.frames.length; frame++)
      categories.add(tree.frames.categoryCode(frame));
    return {
      rows: layout.rows,
      boxes: layout.node.length,
      span: layout.span,
      total: shown.total,
      whole: shown.whole,
      wholeText: shown.wholeText,
      unit: tree.unit,
      categories: [...categories].sort(),
      instead: scene.instead,
    };
  }

  /** Draws a view. Without a palette the last one is used again. */
  draw(view: FlameView, news: FlamePalette | null): void {
    this.#palette = news ?? this.#palette;
    const scene = this.#scene;
    const palette = this.#palette;
    if (scene === null || palette === null || view.width <= 0 || view.height <= 0) return;
    this.#fit(view);
    rasterFlame(
      this.#pixels,
      scene.layout,
      {
        paint: scene.paint,
        palette: palette.boxes,
        ground: palette.ground,
        matchesBefore: this.#matchesBefore,
      },
      view,
    );
    const bytes = new Uint8ClampedArray(this.#pixels.buffer);
    this.#context.putImageData(new ImageData(bytes, view.width, view.height), 0, 0);
    if (palette.labels) this.#write(scene, view, palette);
    if (palette.chosen >= 0) this.#outline(scene, view, palette);
  }

  #fit({ width, height }: FlameView): void {
    if (this.#surface.width !== width || this.#surface.height !== height) {
      this.#surface.width = width;
      this.#surface.height = height;
    }
    if (this.#pixels.length !== width * height) this.#pixels = new Uint32Array(width * height);
  }

  // The font is monospaced, so that a name can be shortened without measuring it.
  #write(scene: Scene, view: FlameView, palette: FlamePalette): void {
    const context = this.#context;
    const size = FONT_PX * view.ratio;
    context.font = `${size}px ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", "Liberation Mono", monospace`;
    context.textBaseline = 'middle';
    const advance = context.measureText('M').width;
    const pad = 4 * view.ratio;
    const matches = this.#matchesBefore;
    for (const label of labelledBoxes(scene.layout, view, NARROWEST_LABEL * view.ratio)) {
      const room = Math.floor((label.width - pad * 1.5) / advance);
      if (room < 2) continue;
      const matched = matches === null || (matches[label.box + 1] ?? 0) > (matches[label.box] ?? 0);
      context.fillStyle = matched ? palette.ink : palette.inkDimmed;
      const y = label.y + (Math.round(view.rowHeight) - view.ratio) / 2;
      context.fillText(
        fitName(this.#nameOf(scene, label.box), room),
        label.x + pad,
        y,
        label.width - pad,
      );
    }
  }

  #outline(scene: Scene, view: FlameView, palette: FlamePalette): void {
    const box = palette.chosen;
    const { layout } = scene;
    if (box >= layout.node.length) return;
    const scale = view.width / (view.x1 - view.x0);
    const left = Math.max(-2, ((layout.x0[box] ?? 0) - view.x0) * scale);
    const right = Math.min(view.width + 2, ((layout.x1[box] ?? 0) - view.x0) * scale);
    const line = 2 * view.ratio;
    this.#context.strokeStyle = palette.outline;
    this.#context.lineWidth = line;
    const y = rowTop(rowOf(layout, box), view);
    this.#context.strokeRect(
      left + line / 2,
      y + line / 2,
      Math.max(1, right - left - line),
      Math.round(view.rowHeight) - view.ratio - line,
    );
  }

  #nameOf(scene: Scene, box: number): string {
    const frame = scene.shown.tree.nodeFrames[scene.layout.node[box] ?? 0] ?? 0;
    let name = this.#names.get(frame);
    if (name === undefined) {
      name = scene.shown.tree.frames.name(frame);
      if (this.#names.size > 50_000) this.#names.clear();
      this.#names.set(frame, name);
    }
    return name;
  }

  /** Dims boxes that do not match. An empty pattern removes the search. */
  search(text: string): SearchInfo {
    const scene = this.#scene;
    const pattern = patternOf(text);
    if (scene === null || pattern === null) {
      this.#matchesBefore = null;
      return { boxes: 0, share: 0 };
    }
    const { shown, layout } = scene;
    const { tree } = shown;
    const matching = matchFrames(tree.frames, (name) => pattern.test(name));
    const before = new Uint32Array(layout.node.length + 1);
    for (let box = 0; box < layout.node.length; box++) {
      const frame = tree.nodeFrames[layout.node[box] ?? 0] ?? 0;
      before[box + 1] = (before[box] ?? 0) + (matching[frame] ?? 0);
    }
    this.#matchesBefore = before;
    return {
      boxes: before.at(-1) ?? 0,
      share:
        shown.total === 0 ? 0 : Number(matchedTotal(tree, matching)) / shown.scale / shown.total,
    };
  }

  hit(row: number, x: number): BoxInfo | null {
    const scene = this.#scene;
    if (scene === null) return null;
    const box = boxAt(scene.layout, row, x);
    return box < 0 ? null : this.#info(scene, box);
  }

  near(box: number, to: Neighbour): BoxInfo | null {
    const scene = this.#scene;
    if (scene === null || scene.layout.node.length === 0) return null;
    const { layout } = scene;
    if (to === 'next_match' || to === 'previous_match') {
      const match = this.#matchBeside(box, to);
      return match < 0 ? null : this.#info(scene, match);
    }
    if (to === 'first' || box < 0 || box >= layout.node.length) return this.#info(scene, 0);
    const row = rowOf(layout, box);
    const x0 = layout.x0[box] ?? 0;
    const middle = (x0 + (layout.x1[box] ?? 0)) / 2;
    let found = -1;
    if (to === 'parent') found = boxAt(layout, row - 1, middle);
    else if (to === 'child' && row + 1 < layout.rows) {
      const child = firstEndingAfter(layout, row + 1, x0);
      const inside =
        child < (layout.rowStart[row + 2] ?? 0) && (layout.x0[child] ?? 0) < (layout.x1[box] ?? 0);
      found = inside ? child : -1;
    } else if (to === 'next' && box + 1 < (layout.rowStart[row + 1] ?? 0)) found = box + 1;
    else if (to === 'previous' && box > (layout.rowStart[row] ?? 0)) found = box - 1;
    return found < 0 ? null : this.#info(scene, found);
  }

  /** Returns the match after or before a box, row by row and cyclically. Returns −1 if nothing matches. */
  #matchBeside(box: number, to: 'next_match' | 'previous_match'): number {
    const before = this.#matchesBefore;
    const matches = before?.at(-1) ?? 0;
    if (before === null || matches === 0) return -1;
    const from = Math.min(Math.max(box, -1), before.length - 2);
    const place =
      to === 'next_match' ? (before[from + 1] ?? 0) : (before[Math.max(0, from)] ?? 0) - 1;
    // The n-th match is the last box with fewer than n + 1 matches before it.
    return firstAbove(before, (place + matches) % matches) - 1;
  }

  /**
   * Finds a box of the previous, smaller scene: by its path, or by its place if `ordered`. Returns null if it is
   * gone.
   */
  refind(was: BoxInfo, ordered: boolean): BoxInfo | null {
    const scene = this.#scene;
    if (scene === null) return null;
    const { layout, shown } = scene;
    const { frames, nodeFrames } = shown.tree;
    const textOf = (box: number): string => frames.text(nodeFrames[layout.node[box] ?? 0] ?? 0);
    const box = ordered
      ? boxAt(layout, was.row, (was.x0 + was.x1) / 2)
      : boxOfPath(layout, textOf, was.path);
    return box < 0 || textOf(box) !== was.path.at(-1) ? null : this.#info(scene, box);
  }

  #info(scene: Scene, box: number): BoxInfo {
    const { shown, layout, diff } = scene;
    const { tree, totals, scale } = shown;
    const node = layout.node[box] ?? 0;
    const path: string[] = [];
    for (let at = node; at >= 0 && path.length < 100_000; at = tree.parents[at] ?? -1) {
      path.push(tree.frames.text(tree.nodeFrames[at] ?? 0));
    }
    const frame = tree.nodeFrames[node] ?? 0;
    const before = diff?.before[node] ?? null;
    const after = diff?.after[node] ?? null;
    return {
      box,
      row: rowOf(layout, box),
      x0: layout.x0[box] ?? 0,
      x1: layout.x1[box] ?? 0,
      name: tree.frames.name(frame),
      category: FRAME_CATEGORIES[tree.frames.categoryCode(frame)] ?? '',
      self: (tree.self.values[node] ?? 0) / scale,
      total: (totals[node] ?? 0) / scale,
      share: shown.total === 0 ? 0 : (totals[node] ?? 0) / scale / shown.total,
      path: path.reverse(),
      before: before === null ? null : before / scale,
      after: after === null ? null : after / scale,
      beforeShare:
        diff === null || before === null || diff.beforeSum === 0 ? null : before / diff.beforeSum,
      afterShare:
        diff === null || after === null || diff.afterSum === 0 ? null : after / diff.afterSum,
      paint: scene.paint[node] ?? 0,
    };
  }

  /** Returns the boxes in a view that are at least one pixel wide, in CSS pixels. */
  visibleBoxes(view: FlameView): VisibleBox[] {
    const scene = this.#scene;
    if (scene === null) return [];
    const { layout } = scene;
    const height = Math.round(view.rowHeight) / view.ratio - 1;
    return labelledBoxes(layout, view, view.ratio).map((label) => {
      const node = layout.node[label.box] ?? 0;
      const matches = this.#matchesBefore;
      const matched = matches === null || (matches[label.box + 1] ?? 0) > (matches[label.box] ?? 0);
      return {
        x: label.x / view.ratio,
        y: label.y / view.ratio,
        width: label.width / view.ratio,
        height,
        name: this.#nameOf(scene, label.box),
        paint: (scene.paint[node] ?? 0) | (matched ? 0 : 128),
      };
    });
  }
}
