// The groups of a trace's stacks: samples of one source with one unit. Pure.
import type { Stacks } from '@svc/trace';
import type { StackQuery } from './query.ts';

export type StackGroupInfo = {
  readonly id: string;
  readonly source: string;
  readonly unit: string;
  readonly samples: number;
  /** The number of nodes in the tree, and of samples that end where the tree is cut. */
  readonly nodes: number;
  readonly leftOutSamples: number;
  readonly twoWeights: boolean;
  readonly timed: boolean;
};

export function groupInfo(stacks: Stacks): StackGroupInfo {
  const { source, tree, times } = stacks;
  return {
    id: groupId(stacks),
    source,
    unit: tree.unit,
    samples: tree.samples,
    nodes: tree.length,
    leftOutSamples: tree.leftOut,
    twoWeights: tree.before !== null,
    timed: times !== null,
  };
}

/** Identifies a group within its trace. */
export function groupId({ source, tree }: Stacks): string {
  return groupIdOf(source, tree.unit);
}

/** The id of the group of a source and a unit. */
export function groupIdOf(source: string, unit: string): string {
  return `${source}/${unit}`;
}

/** Returns the group that a query names, else the first one. Returns null if there are no stacks. */
export function stacksOf(all: readonly Stacks[], query: StackQuery): Stacks | null {
  return all.find((stacks) => groupId(stacks) === query.group) ?? all[0] ?? null;
}
