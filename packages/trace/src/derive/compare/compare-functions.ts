// Compares the functions of two traces by their share of all samples: which take a larger part of the time than before.
import type { Source } from '../../format/records.ts';
import type { Stacks } from '../../model/trace-model.ts';
import { sumFrames, treeTotal } from '../../stacks/frame-sums.ts';
import type { FrameCategory } from '../../stacks/frame-table.ts';
import type { StackTree } from '../../stacks/stack-tree.ts';
import { withoutHash } from '../assets/compare-assets.ts';

/** A function in two traces. Shares are of the weight of all samples of the stacks, 0 for a function that is not in them. */
export type FunctionChange = {
  readonly name: string;
  readonly category: FrameCategory;
  /** Its name in the older trace if it is another one, for example with another line; else null. */
  readonly old_name: string | null;
  readonly state: 'new' | 'gone' | 'kept';
  readonly self_before: number;
  readonly self_after: number;
  /** `self_after` minus `self_before`. */
  readonly change: number;
};

/** The stacks of one kind in both traces. */
export type FunctionsDiff = {
  readonly source: Source;
  readonly unit_before: string;
  readonly unit_after: string;
  readonly samples_before: number;
  readonly samples_after: number;
  /** The largest rise is first, the largest fall last. Functions without self weight in both are left out. */
  readonly changes: readonly FunctionChange[];
};

type Pair = readonly [Stacks, Stacks];

/**
 * Compares the stacks of two traces. Stacks are joined by source and unit, then by unit, then if one remains on each side. Others
 * are left out. Functions are joined by category and name, then by the name without its line, then without a content hash too,
 * if that identifies one function on each side.
 */
export function compareFunctions(
  before: readonly Stacks[],
  after: readonly Stacks[],
): FunctionsDiff[] {
  return pairsOf(before, after).map(([was, is]) => ({
    source: is.source,
    unit_before: was.tree.unit,
    unit_after: is.tree.unit,
    samples_before: was.tree.samples,
    samples_after: is.tree.samples,
    changes: changesOf(sharesOf(was.tree), sharesOf(is.tree)),
  }));
}

function pairsOf(before: readonly Stacks[], after: readonly Stacks[]): Pair[] {
  const old = new Set(before);
  const now = new Set(after);
  const pairs: Pair[] = [];
  const joinBy = (isSame: (was: Stacks, is: Stacks) => boolean): void => {
    for (const is of now) {
      const was = [...old].find((one) => isSame(one, is));
      if (was === undefined) continue;
      pairs.push([was, is]);
      old.delete(was);
      now.delete(is);
    }
  };
  joinBy((was, is) => was.source === is.source && was.tree.unit === is.tree.unit);
  joinBy((was, is) => was.tree.unit === is.tree.unit);
  if (old.size === 1 && now.size === 1) joinBy(() => true);
  return pairs;
}

type Share = { readonly name: string; readonly category: FrameCategory; readonly share: number };

/** The share of each function with a self weight. Empty if the weight of all samples is not above 0. */
function sharesOf(tree: StackTree): Share[] {
  const { self } = sumFrames(tree);
  const whole = Number(treeTotal(tree));
  if (!(whole > 0)) return [];
  return Array.from({ length: tree.frames.length }, (_, frame) => frame)
    .filter((frame) => self.values[frame] !== 0)
    .map((frame) => ({
      name: tree.frames.name(frame),
      category: tree.frames.category(frame),
      share: (self.values[frame] ?? 0) / whole,
    }));
}

function changesOf(before: readonly Share[], after: readonly Share[]): FunctionChange[] {
  const old = new Set(before);
  const now = new Set(after);
  const changes: FunctionChange[] = [];
  for (const keyOf of [nameOf, withoutLine, withoutBuild]) {
    const byKey = uniqueByKey(now, keyOf);
    for (const [key, was] of uniqueByKey(old, keyOf)) {
      const is = byKey.get(key) ?? null;
      if (was === null || is === null) continue;
      changes.push(changeOf(was, is));
      old.delete(was);
      now.delete(is);
    }
  }
  for (const was of old) changes.push(changeOf(was, null));
  for (const is of now) changes.push(changeOf(null, is));
  return changes.sort((a, b) => b.change - a.change || (a.name < b.name ? -1 : 1));
}

function changeOf(was: Share | null, is: Share | null): FunctionChange {
  const { name, category } = (is ?? was) as Share;
  const [self_before, self_after] = [was?.share ?? 0, is?.share ?? 0];
  return {
    ...{ name, category },
    old_name: was === null || was.name === name ? null : was.name,
    state: was === null ? 'new' : is === null ? 'gone' : 'kept',
    ...{ self_before, self_after, change: self_after - self_before },
  };
}

/** The functions by category and key. Null for a key of several. */
function uniqueByKey(
  shares: Iterable<Share>,
  keyOf: (name: string) => string,
): Map<string, Share | null> {
  const found = new Map<string, Share | null>();
  for (const share of shares) {
    const key = `${share.category}\n${keyOf(share.name)}`;
    found.set(key, found.has(key) ? null : share);
  }
  return found;
}

function nameOf(name: string): string {
  return name;
}

/** `update game.js` of `update game.js:12` and of `update game.js:1:4711`. */
function withoutLine(name: string): string {
  return name.replace(/:\d+(:\d+)?$/, '');
}

function withoutBuild(name: string): string {
  return withoutHash(withoutLine(name));
}
