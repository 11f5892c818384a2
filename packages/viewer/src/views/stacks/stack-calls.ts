// The worker's calls about stacks: groups, flame graphs on canvases, tables and the call tree.
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';
import type { DiffTable } from './derive/diff-functions.ts';
import type { FunctionTable } from './derive/function-table.ts';
import type { TreeRows } from './derive/open-tree-rows.ts';
import type { StackQuery } from './derive/query.ts';
import type { DiffSide, SceneRequest } from './derive/scene-request.ts';
import type { StackGroupInfo } from './derive/stack-groups.ts';
import type { BoxInfo, FlameInfo, Neighbour, SearchInfo, VisibleBox } from './draw/flame-info.ts';
import type { FlamePalette, FlameView } from './draw/flame-view.ts';

export type StackCalls = {
  readonly stackGroups: Call<{ readonly slot: Slot }, readonly StackGroupInfo[]>;
  /** Transfers a canvas to the worker, which draws on it from then on. The other calls refer to it by this name. */
  readonly attachCanvas: Call<{ readonly canvas: string; readonly surface: OffscreenCanvas }, null>;
  readonly detachCanvas: Call<{ readonly canvas: string }, null>;
  /** Sets the scene that a canvas and its overview show. */
  readonly flame: Call<{ readonly canvas: string; readonly scene: SceneRequest }, FlameInfo>;
  /** Draws a view of the scene. The answer comes when it is drawn. Without a palette the last one is used again. */
  readonly drawFlame: Call<
    { readonly canvas: string; readonly view: FlameView; readonly palette: FlamePalette | null },
    null
  >;
  readonly searchFlame: Call<{ readonly canvas: string; readonly pattern: string }, SearchInfo>;
  readonly hitFlame: Call<
    { readonly canvas: string; readonly row: number; readonly x: number },
    BoxInfo | null
  >;
  readonly nearFlame: Call<
    { readonly canvas: string; readonly box: number; readonly to: Neighbour },
    BoxInfo | null
  >;
  /**
   * Finds a box of the previous scene in a scene that has grown: by its place if the scene is in the order of recording
   * (`ordered`), else by its path. Returns null if the box is gone.
   */
  readonly refindFlame: Call<
    { readonly canvas: string; readonly box: BoxInfo; readonly ordered: boolean },
    BoxInfo | null
  >;
  /** Returns all boxes in a view that are wide enough to be visible, for an export. */
  readonly flameBoxes: Call<
    { readonly canvas: string; readonly view: FlameView },
    readonly VisibleBox[]
  >;
  readonly functions: Call<{ readonly slot: Slot; readonly query: StackQuery }, FunctionTable>;
  /** Returns the call tree's roots and the children of each open row, heaviest first. `open` holds keys of rows. */
  readonly treeRows: Call<
    { readonly slot: Slot; readonly query: StackQuery; readonly open: readonly string[] },
    TreeRows
  >;
  readonly diffFunctions: Call<{ readonly before: DiffSide; readonly after: DiffSide }, DiffTable>;
};
