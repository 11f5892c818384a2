// Compares views with slow, plain implementations on random input. FC_SEED=number repeats a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noHitches, orderFrames, shareHitches } from '../src/derive/assets/asset-hitches.ts';
import {
  calleesOf,
  formatDecimal,
  hideFrames,
  layoutLeftHeavy,
  nodeAt,
  pathOf,
  plus,
  readFolded,
  type StackTree,
  sumFrames,
  sumTotals,
  treeTotal,
} from '../src/index.ts';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = { numRuns: 1000, seed: SEED };
console.log(`views of trace: FC_SEED=${SEED}`);

type Span = { readonly start: number; readonly end: number };
type AssetWork = Span & { readonly owner: number };
type HitchShare = { hitch_ms: number; avoidable_ms: number; hitches: number };

function columnsOf(spans: readonly Span[]): { start: Float64Array; end: Float64Array } {
  return {
    start: Float64Array.from(spans, ({ start }) => start),
    end: Float64Array.from(spans, ({ end }) => end),
  };
}

/** The definition, implemented literally: frame by frame, asset by asset. */
function plainShares(
  frames: readonly Span[],
  works: readonly AssetWork[],
  budget: number,
  owners: number,
): HitchShare[] {
  const shares = Array.from({ length: owners }, () => ({
    hitch_ms: 0,
    avoidable_ms: 0,
    hitches: 0,
  }));
  for (const frame of frames) {
    const times = shares.map((_, owner) =>
      works
        .filter((work) => work.owner === owner)
        .reduce(
          (sum, work) =>
            sum + Math.max(0, Math.min(work.end, frame.end) - Math.max(work.start, frame.start)),
          0,
        ),
    );
    const all = times.reduce((sum, time) => sum + time, 0);
    for (const [owner, share] of shares.entries()) {
      const time = times[owner] ?? 0;
      if (time <= 0) continue;
      const part = ((frame.end - frame.start - budget) * time) / all;
      share.hitch_ms += part;
      share.avoidable_ms += Math.min(part, time);
      share.hitches++;
    }
  }
  return shares;
}

test('shareHitches divides frames as its definition states', () => {
  const frames = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.integer({ min: 11, max: 90 })), {
    maxLength: 12,
  });
  const works = fc.array(
    fc.tuple(fc.nat({ max: 600 }), fc.integer({ min: 1, max: 400 }), fc.nat({ max: 3 })),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(frames, works, (gaps, drawn) => {
      let at = 0;
      const spans = gaps.map(([gap, length]) => {
        const start = at + gap;
        at = start + length;
        return { start, end: at };
      });
      const list = drawn.map(([start, length, owner]) => ({ start, end: start + length, owner }));
      const shares = noHitches(4);
      const work = { ...columnsOf(list), owner: Int32Array.from(list, ({ owner }) => owner) };
      shareHitches(orderFrames(columnsOf(spans), { from: [], to: [] }, 10), work, shares);
      for (const [owner, expected] of plainShares(spans, list, 10, 4).entries()) {
        assert.equal(shares.hitches[owner], expected.hitches);
        assert.ok(Math.abs((shares.hitch_ms[owner] ?? 0) - expected.hitch_ms) < 1e-6);
        const avoidable = shares.avoidable_ms[owner] ?? 0;
        assert.ok(Math.abs(avoidable - expected.avoidable_ms) < 1e-6);
      }
    }),
    RUNS,
  );
});

const tree: fc.Arbitrary<StackTree> = fc
  .array(
    fc.tuple(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 7 }),
      fc.integer({ min: 1, max: 50 }),
    ),
    { minLength: 1, maxLength: 15 },
  )
  .map(
    (stacks) =>
      readFolded(stacks.map(([frames, weight]) => `${frames.join(';')} ${weight}\n`).join('')).tree,
  );

function stacksOf(one: StackTree): { names: string[]; weight: number }[] {
  return Array.from({ length: one.length }, (_, node) => ({
    names: pathOf(one, node).map((frame) => one.frames.name(frame)),
    weight: Number(one.self.at(node)),
  }));
}

test('sumFrames and calleesOf count a function once per sample', () => {
  fc.assert(
    fc.property(tree, (one) => {
      const { self, total } = sumFrames(one);
      for (let frame = 0; frame < one.frames.length; frame++) {
        const name = one.frames.name(frame);
        const within = stacksOf(one).filter(({ names }) => names.includes(name));
        const sum = within.reduce((all, { weight }) => all + weight, 0);
        assert.equal(total.at(frame), sum);
        assert.equal(treeTotal(calleesOf(one, frame)), sum);
        const own = within.filter(({ names }) => names.at(-1) === name);
        assert.equal(
          self.at(frame),
          own.reduce((all, { weight }) => all + weight, 0),
        );
      }
    }),
    RUNS,
  );
});

test('layoutLeftHeavy draws each node inside its parent, and nodeAt finds it at its centre', () => {
  fc.assert(
    fc.property(tree, (one) => {
      const layout = layoutLeftHeavy(one);
      const totals = sumTotals(one.parents, one.self);
      assert.equal(layout.total, Number(treeTotal(one)));
      for (let node = 0; node < one.length; node++) {
        const start = layout.start[node] ?? 0;
        const width = layout.width[node] ?? 0;
        assert.equal(width, totals.at(node));
        assert.equal(nodeAt(layout, start + width / 2, layout.depth[node] ?? 0), node);
        const parent = one.parents[node] ?? -1;
        if (parent < 0) continue;
        const room = layout.start[parent] ?? 0;
        assert.ok(start >= room && start + width <= room + (layout.width[parent] ?? 0));
      }
    }),
    RUNS,
  );
});

test('hideFrames preserves the total weight', () => {
  fc.assert(
    fc.property(tree, fc.nat({ max: 15 }), (one, mask) => {
      const matched = Uint8Array.from({ length: one.frames.length }, (_, id) => (mask >> id) & 1);
      const hidden = hideFrames(one, matched);
      const kept = plus(treeTotal(hidden.tree), hidden.unplaced);
      assert.equal(formatDecimal(kept, 0), formatDecimal(treeTotal(one), 0));
      assert.ok(Array.from(hidden.tree.nodeFrames).every((frame) => matched[frame] === 0));
    }),
    RUNS,
  );
});
