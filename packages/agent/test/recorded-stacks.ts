// Restores the stacks of a trace of the probe for assertions.
import assert from 'node:assert/strict';
import type { TraceRecord } from '@svc/trace';

export type RecordedStack = {
  /** Outermost first. The first is the thread. */
  readonly frames: readonly { readonly name: string; readonly category: string }[];
  /** The number of samples with this stack. */
  readonly weight: number;
};

/** The number of samples in a second of one core. */
const SAMPLES_PER_SECOND = 99;

/** Every sample of the `stacks` records of one source, in file order. */
export function stacksOf(records: readonly TraceRecord[]): RecordedStack[] {
  const names: string[] = [];
  const nodes: { parent: number; name: number; category: string }[] = [];
  return records.flatMap((record) => {
    if (record.type !== 'stacks') return [];
    names.push(...record.names);
    const { scale = 1, unit } = record;
    assert.equal(unit, 'ms');
    record.parents.forEach((parent, i) => {
      const category = record.categories?.[i] ?? '';
      nodes.push({ parent, name: record.node_names[i] ?? -1, category });
    });
    return record.samples.node.map((node, i) => {
      const frames: { name: string; category: string }[] = [];
      for (let at = nodes[node]; at !== undefined; at = nodes[at.parent]) {
        frames.unshift({ name: names[at.name] ?? '', category: at.category });
      }
      const ms = Number(record.samples.weight[i]) / Number(scale);
      return { frames, weight: Math.round((ms / 1000) * SAMPLES_PER_SECOND) };
    });
  });
}

/** The number of samples whose stacks match. */
export function weightOf(
  stacks: readonly RecordedStack[],
  holds: (stack: RecordedStack) => boolean = () => true,
): number {
  return stacks.filter(holds).reduce((sum, { weight }) => sum + weight, 0);
}

/** The number of samples whose stacks contain a function. */
export function weightUnder(stacks: readonly RecordedStack[], name: RegExp): number {
  return weightOf(stacks, ({ frames }) => frames.some((frame) => name.test(frame.name)));
}
