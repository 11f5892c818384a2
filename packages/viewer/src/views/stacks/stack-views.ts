// Answers the worker's calls about stacks. It caches derived trees until a trace changes.
import { childrenOf, diffTrees, type StackTree, type TraceModel } from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import { diffFunctions } from './derive/diff-functions.ts';
import { functionTable } from './derive/function-table.ts';
import { openTreeRows, type TreeRows } from './derive/open-tree-rows.ts';
import type { StackQuery } from './derive/query.ts';
import type { DiffSide, SceneRequest } from './derive/scene-request.ts';
import { type ShownTree, selectTree } from './derive/select-tree.ts';
import { groupInfo, stacksOf } from './derive/stack-groups.ts';
import { FlameCanvas, type Scene } from './draw/flame-canvas.ts';
import type { FlameInfo } from './draw/flame-info.ts';
import { diffScene, mergedScene, recordedScene, sandwichScene } from './draw/make-scene.ts';
import type { StackCalls } from './stack-calls.ts';

type StackHandlers = {
  readonly [Name in keyof StackCalls]: (
    args: StackCalls[Name]['args'],
  ) => StackCalls[Name]['result'];
};

/** The number of cached trees: main, comparison, and earlier ones. */
const KEPT_TREES = 4;

export class StackViews {
  readonly #modelIn: (slot: Slot) => TraceModel | null;
  readonly #canvases = new Map<string, FlameCanvas>();
  readonly #trees = new Map<string, ShownTree>();
  readonly #links = new WeakMap<StackTree, ReturnType<typeof childrenOf>>();

  constructor(modelIn: (slot: Slot) => TraceModel | null) {
    this.#modelIn = modelIn;
  }

  /** Clears the cache because a trace was opened, closed or has grown. */
  forget(): void {
    this.#trees.clear();
  }

  readonly handlers: StackHandlers = {
    stackGroups: ({ slot }) => (this.#modelIn(slot)?.stacks ?? []).map(groupInfo),
    attachCanvas: ({ canvas, surface }) => {
      this.#canvases.set(canvas, new FlameCanvas(surface));
      return null;
    },
    detachCanvas: ({ canvas }) => {
      this.#canvases.delete(canvas);
      return null;
    },
    flame: ({ canvas, scene }) => this.#show(canvas, scene),
    drawFlame: ({ canvas, view, palette }) => {
      this.#canvases.get(canvas)?.draw(view, palette);
      return null;
    },
    searchFlame: ({ canvas, pattern }) =>
      this.#canvases.get(canvas)?.search(pattern) ?? { boxes: 0, share: 0 },
    hitFlame: ({ canvas, row, x }) => this.#canvases.get(canvas)?.hit(row, x) ?? null,
    nearFlame: ({ canvas, box, to }) => this.#canvases.get(canvas)?.near(box, to) ?? null,
    refindFlame: ({ canvas, box, ordered }) =>
      this.#canvases.get(canvas)?.refind(box, ordered) ?? null,
    flameBoxes: ({ canvas, view }) => this.#canvases.get(canvas)?.visibleBoxes(view) ?? [],
    functions: ({ slot, query }) => functionTable(this.#tree(slot, query)),
    treeRows: ({ slot, query, open }) => this.#openRows(this.#tree(slot, query), new Set(open)),
    diffFunctions: ({ before, after }) =>
      diffFunctions(diffTrees(this.#side(before), this.#side(after))),
  };

  #show(canvas: string, request: SceneRequest): FlameInfo {
    const scene = this.#scene(request);
    const shown = [...this.#canvases].filter(
      ([name]) => name === canvas || name.startsWith(`${canvas}/`),
    );
    let info: FlameInfo | null = null;
    for (const [, one] of shown) info = one.show(scene);
    if (info === null) throw new Error(`No canvas "${canvas}"`);
    return info;
  }

  #scene(request: SceneRequest): Scene {
    if (request.kind === 'diff') {
      return diffScene(this.#side(request.before), this.#side(request.after), request.width);
    }
    const tree = this.#tree(request.slot, request.query);
    if (request.kind === 'callers' || request.kind === 'callees') {
      return sandwichScene(tree, request.name, request.kind);
    }
    if (request.kind === 'merged') return mergedScene(tree);
    const stacks = stacksOf(this.#modelIn(request.slot)?.stacks ?? [], request.query);
    return stacks === null ? mergedScene(tree) : recordedScene(stacks, tree, request.query);
  }

  #side({ slot, query }: DiffSide): StackTree {
    return this.#tree(slot, query).tree;
  }

  #tree(slot: Slot, query: StackQuery): ShownTree {
    const key = `${slot} ${JSON.stringify(query)}`;
    const kept = this.#trees.get(key);
    if (kept !== undefined) return kept;
    const stacks = stacksOf(this.#modelIn(slot)?.stacks ?? [], query);
    if (stacks === null) throw new Error('This trace has no stacks');
    const tree = selectTree(stacks, query);
    const [oldest] = this.#trees.keys();
    if (this.#trees.size >= KEPT_TREES && oldest !== undefined) this.#trees.delete(oldest);
    this.#trees.set(key, tree);
    return tree;
  }

  #openRows(shown: ShownTree, open: ReadonlySet<string>): TreeRows {
    const { tree } = shown;
    let links = this.#links.get(tree);
    if (links === undefined) {
      links = childrenOf(tree.parents);
      this.#links.set(tree, links);
    }
    return openTreeRows(shown, links, open);
  }
}
