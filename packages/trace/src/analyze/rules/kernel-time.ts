// A large part of the work is in the kernel: page faults, copies, system calls in a loop.
import { nameText } from '../../derive/facts/number-text.ts';
import { heaviest } from '../../stacks/frame-sums.ts';
import type { StackTree } from '../../stacks/stack-tree.ts';
import { MOST_EVIDENCE, percent, type Rule, rounded } from '../findings/finding.ts';
import { idleFrames } from '../findings/idle-frames.ts';

const FEWEST_SAMPLES = 50;
/** A game that computes and draws spends much less time in the kernel. */
const KERNEL_SHARE = 0.25;

export const kernelTime: Rule = ({ model }) => {
  for (const { tree } of model.stacks) {
    const found = kernelShare(tree);
    if (found === null || found.share < KERNEL_SHARE) continue;
    return {
      id: 'kernel_time',
      severity: 'warning',
      title: `The kernel takes ${percent(found.share)} of the work`,
      detail: `Most of it is in ${found.top[0]?.name ?? 'the kernel'}. Page faults indicate memory that is used for the first time or freed and allocated again, copies and reads indicate file or socket access during frames, locks indicate contention between threads. Find the functions of the game that lead there.`,
      evidence: found.top.map(({ name, share }) => ({
        label: name,
        value: rounded(share * 100),
        unit: '% self',
      })),
      impact: found.share * 100,
    };
  }
  return null;
};

/** The share of samples with a kernel frame innermost, of all samples that do not wait. Null for too few samples. */
function kernelShare(tree: StackTree) {
  const { parents, nodeFrames, frames, self } = tree;
  const waits = idleFrames(frames);
  const waiting = new Uint8Array(tree.length);
  const inKernel = new Float64Array(frames.length);
  let work = 0;
  let kernel = 0;
  for (let node = 0; node < tree.length; node++) {
    const frame = nodeFrames[node] ?? 0;
    waiting[node] = (waiting[parents[node] ?? -1] ?? 0) | (waits[frame] ?? 0);
    const weight = Math.max(0, self.values[node] ?? 0);
    if (waiting[node] === 1) continue;
    work += weight;
    if (frames.category(frame) !== 'kernel') continue;
    kernel += weight;
    inKernel[frame] = (inKernel[frame] ?? 0) + weight;
  }
  if (work / 10 ** tree.decimals < FEWEST_SAMPLES) return null;
  const top = heaviest(inKernel, MOST_EVIDENCE)
    .filter((id) => (inKernel[id] ?? 0) > 0)
    .map((id) => ({ name: nameText(frames.name(id)), share: (inKernel[id] ?? 0) / work }));
  return { share: kernel / work, top };
}
