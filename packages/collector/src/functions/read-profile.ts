// Reads the samples of a profile, one at a time, so that a long one does not take a frame.
import { type FunctionStore, LATE, NO_STACK } from './function-store.ts';
import type { Profile } from './profiler.ts';
import type { SampleStream } from './sample-stream.ts';

/** The node of a stack that was not looked up yet. */
const UNKNOWN = -5;

/** Yields after each sample. `origin` is the start of the recording on the page's clock; `gap` the reason of a gap before the profile. */
export function* readProfile(
  { resources, frames, stacks, samples }: Profile,
  origin: number,
  gap: number,
  store: FunctionStore,
  stream: SampleStream,
): Generator<void> {
  const nodes = new Float64Array(stacks.length).fill(UNKNOWN);

  /** The node of a stack. Adds the missing nodes of its path, without recursion. */
  const nodeOf = (stack: number | undefined): number => {
    const path: number[] = [];
    let at = stack;
    while (at !== undefined && nodes[at] === UNKNOWN && path.length < stacks.length) {
      path.push(at);
      at = stacks[at]?.parentId;
    }
    const known = at === undefined ? UNKNOWN : nodes[at];
    let node = known === undefined || known === UNKNOWN ? NO_STACK : known;
    for (let next = path.pop(); next !== undefined; next = path.pop()) {
      const {
        name = '',
        resourceId = -1,
        line = 1,
        column = 1,
      } = frames[stacks[next]?.frameId ?? -1] ?? {};
      node = store.nodeOf(node, store.functionOf(name, resources[resourceId] ?? '', line, column));
      nodes[next] = node;
    }
    return node;
  };

  // The browser takes the first sample at once, of the collector itself.
  for (const [index, { timestamp, stackId }] of samples.entries()) {
    const reason = index === 1 ? gap : LATE;
    if (index > 0) stream.add(nodeOf(stackId), Math.round((timestamp - origin) * 1000), reason);
    yield;
  }
}
