// Creates scenes from trees: their layout and their colours. Runs in the worker.
import {
  calleesOf,
  callersOf,
  childrenOf,
  diffTrees,
  ExactColumn,
  type FrameNames,
  orderLeftHeavy,
  type Stacks,
  type StackTree,
  sumTotals,
  treeTotal,
  visitSamples,
  widthsOf,
} from '@svc/trace';
import { formatCount } from '../../../format/numbers.ts';
import { changeOf, shareOf } from '../derive/diff-functions.ts';
import type { StackQuery } from '../derive/query.ts';
import type { DiffWidth } from '../derive/scene-request.ts';
import { type ShownTree, shownTree } from '../derive/select-tree.ts';
import { layOutInOrder, layOutTree, ORDERED_BOXES, type Samples } from '../layout/flame-layout.ts';
import type { Scene } from './flame-canvas.ts';
import { diffPaint, framePaint } from './flame-view.ts';

/** Returns the scene of a merged tree, heaviest child first. */
export function mergedScene(shown: ShownTree): Scene {
  const { width, order } = orderLeftHeavy(shown.tree, shown.totals);
  return {
    shown,
    layout: layOutTree(shown.tree.parents, width, order),
    paint: paintByFrame(shown.tree),
    instead: null,
    diff: null,
  };
}

/**
 * Returns the scene in the order of recording. Folded stacks have no times, so their children are in the order of
 * first appearance. `instead` explains any other scene.
 */
export function recordedScene(stacks: Stacks, shown: ShownTree, query: StackQuery): Scene {
  if (query.hide !== '' || query.keep !== '' || query.merge !== '') {
    const instead = 'Left heavy: hidden or merged frames have no order of recording.';
    return { ...mergedScene(shown), instead };
  }
  const samples = samplesOf(stacks, query);
  if (samples === null) {
    const { parents } = shown.tree;
    const layout = layOutTree(parents, widthsOf(shown.tree, shown.totals), childrenOf(parents));
    const instead = 'Merged, in the order of first appearance: these stacks have no times.';
    return { shown, layout, paint: paintByFrame(shown.tree), instead, diff: null };
  }
  const layout = layOutInOrder(shown.tree.parents, samples);
  if (layout === null) {
    const instead = `Left heavy: the order of recording needs more than ${formatCount(ORDERED_BOXES)} boxes.`;
    return { ...mergedScene(shown), instead };
  }
  return { shown, layout, paint: paintByFrame(shown.tree), instead: null, diff: null };
}

function samplesOf({ times }: Stacks, { range, weight }: StackQuery): Samples | null {
  if (times === null || weight === 'before') return null;
  if (range === null) return { node: times.node, weight: times.weight.values };
  const node: number[] = [];
  const weights: number[] = [];
  visitSamples(times, range.from, range.to, (sample, part) => {
    node.push(times.node[sample] ?? 0);
    weights.push(Number(part));
  });
  return { node: Int32Array.from(node), weight: Float64Array.from(weights) };
}

/** Returns the scene of a function's callers or callees. It is empty if there is no such function. */
export function sandwichScene(shown: ShownTree, name: string, kind: 'callers' | 'callees'): Scene {
  const { tree } = shown;
  const turn = kind === 'callers' ? callersOf : calleesOf;
  return mergedScene({
    ...shownTree(turn(tree, frameOf(tree.frames, name))),
    whole: shown.whole,
    wholeText: shown.wholeText,
  });
}

/**
 * Returns the frame with this text, including the category suffix, else the first frame with this name. Returns −1 if
 * there is none.
 */
function frameOf(frames: FrameNames, text: string): number {
  let named = -1;
  for (let frame = 0; frame < frames.length; frame++) {
    if (frames.text(frame) === text) return frame;
    if (named < 0 && frames.name(frame) === text) named = frame;
  }
  return named;
}

/** Returns the differential scene of two trees, coloured by the change of each box's share. */
export function diffScene(before: StackTree, after: StackTree, width: DiffWidth): Scene {
  return diffSceneOf(diffTrees(before, after), width);
}

/** Returns the differential scene of a tree with two weights. */
function diffSceneOf(diff: StackTree, width: DiffWidth): Scene {
  const earlier = diff.before ?? new ExactColumn(diff.length);
  const before = sumTotals(diff.parents, earlier).values;
  const after = sumTotals(diff.parents, diff.self).values;
  const beforeSum = Number(treeTotal(diff, earlier));
  const afterSum = Number(treeTotal(diff));
  const paint = new Uint8Array(diff.length);
  for (let node = 0; node < paint.length; node++) {
    const was = shareOf(before[node] ?? 0, beforeSum);
    paint[node] = diffPaint(changeOf(was, shareOf(after[node] ?? 0, afterSum)));
  }
  const shown = shownTree({ ...diff, self: widthColumn(diff, earlier, width), before: null });
  const { width: widths, order } = orderLeftHeavy(shown.tree, shown.totals);
  return {
    shown,
    layout: layOutTree(shown.tree.parents, widths, order),
    paint,
    instead: null,
    diff: { before, after, beforeSum, afterSum },
  };
}

function widthColumn(diff: StackTree, before: ExactColumn, width: DiffWidth): ExactColumn {
  if (width === 'after') return diff.self;
  if (width === 'before') return before;
  const larger = new ExactColumn(diff.length);
  for (let node = 0; node < diff.length; node++) {
    const is = diff.self.at(node);
    const was = before.at(node);
    larger.set(node, is > was ? is : was);
  }
  return larger;
}

/** Returns the palette index of each node. A function has the same colour in every trace. */
function paintByFrame(tree: StackTree): Uint8Array {
  const byFrame = new Uint8Array(tree.frames.length);
  const { arena, ends } = tree.frames;
  let start = 0;
  for (let frame = 0; frame < byFrame.length; frame++) {
    const end = ends[frame] ?? 0;
    let hash = 0x811c9dc5;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (arena[i] ?? 0), 0x01000193);
    byFrame[frame] = framePaint(tree.frames.categoryCode(frame), (hash ^ (hash >>> 15)) >>> 0);
    start = end;
  }
  const paint = new Uint8Array(tree.length);
  for (let node = 0; node < paint.length; node++) {
    paint[node] = byFrame[tree.nodeFrames[node] ?? 0] ?? 0;
  }
  return paint;
}
