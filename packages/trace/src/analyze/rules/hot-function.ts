// A function that takes a large part of all samples itself.
import { nameText } from '../../derive/facts/number-text.ts';
import { formatDecimal } from '../../stacks/exact-column.ts';
import { heaviest, sumFrames } from '../../stacks/frame-sums.ts';
import type { StackTree } from '../../stacks/stack-tree.ts';
import { percent, type Rule, rounded } from '../findings/finding.ts';
import { idleFrames } from '../findings/idle-frames.ts';

/** With fewer samples, a fifth cannot be distinguished from a tenth. */
const FEWEST_SAMPLES = 50;
/** From this share of all work on, there is a finding. */
const SELF_SHARE = 0.2;
const CRITICAL_SHARE = 0.5;
/** Work of the browser itself in a profile of V8. It counts as work, but is not a function that anyone can change. */
const PROGRAM = '(program)';

export const hotFunction: Rule = ({ model }) => {
  const hot = model.stacks.flatMap(({ tree }) => hottest(tree) ?? []);
  const [worst] = hot.toSorted((a, b) => b.share - a.share);
  if (worst === undefined) return null;
  return {
    id: 'hot_function',
    severity: worst.share > CRITICAL_SHARE ? 'critical' : 'warning',
    title: `${worst.name} takes ${percent(worst.share)} of the work by itself`,
    detail: `Of ${worst.total} ${worst.unit} that were not waiting, ${worst.self} are in this function itself, not in the functions that it calls. Select it in the stacks view to see its callers, then make it faster or call it less often.`,
    evidence: [
      { label: worst.name, value: rounded(worst.share * 100), unit: '% self' },
      ...worst.next.map(({ name, share }) => ({
        label: name,
        value: rounded(share * 100),
        unit: '% self',
      })),
    ],
    impact: worst.share * 100,
  };
};

function hottest(tree: StackTree) {
  const { self } = sumFrames(tree);
  const idle = idleFrames(tree.frames);
  const working = self.values.map((weight, id) => (idle[id] === 1 ? 0 : Math.max(0, weight)));
  const total = working.reduce((sum, weight) => sum + weight, 0);
  const counts = tree.unit === 'samples' || tree.unit === 'count';
  if ((counts ? total / 10 ** tree.decimals : tree.samples) < FEWEST_SAMPLES) return null;
  const functions = working.map((weight, id) => (tree.frames.name(id) === PROGRAM ? 0 : weight));
  const ranked = heaviest(functions, 4).map((id) => ({
    id,
    share: (working[id] ?? 0) / total,
    name: nameText(tree.frames.name(id)),
  }));
  const [first, ...next] = ranked;
  if (first === undefined || !(first.share >= SELF_SHARE)) return null;
  return {
    ...first,
    next,
    unit: tree.unit,
    self: formatDecimal(self.at(first.id), tree.decimals),
    total: String(rounded(total / 10 ** tree.decimals)),
  };
}
