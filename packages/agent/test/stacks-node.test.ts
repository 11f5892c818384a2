// Stacks of a real Node process, with names of code that it compiles while it runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skippedWithoutBpf } from './can-observe.ts';
import { assertShare, captureStacks } from './capture-stacks.ts';
import { stacksOf, weightOf, weightUnder } from './recorded-stacks.ts';
import { startNodeShares } from './targets/start-shares.ts';

test('stacks of a Node process: functions compiled at run time have their names and their shares', async (t) => {
  if (skippedWithoutBpf(t)) return;
  await using target = await startNodeShares();
  const stacks = stacksOf(await captureStacks(target.pid));
  const loop = weightUnder(stacks, /^frameLoop shares\.mjs:/);
  const total = weightOf(stacks);
  assert.ok(loop / total > 0.85, `frameLoop has ${loop} of ${total} samples`);
  assertShare(weightUnder(stacks, /^update shares\.mjs:/), loop, 90, 'update');
  assertShare(weightUnder(stacks, /^draw shares\.mjs:/), loop, 10, 'draw');
  const compiled = stacks.flatMap(({ frames }) =>
    frames.filter(({ name }) => / shares\.mjs:/.test(name)),
  );
  assert.ok(compiled.length > 0 && compiled.every(({ category }) => category === 'jit'));
});
