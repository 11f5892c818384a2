// The bundles that a game passes to a pass: the browser must receive them as the game made them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countGpuDraws } from '../src/webgpu/draws.ts';
import { recorded, setGlobal } from './recorded.ts';

test('bundles in any iterable reach the browser, also if it can be read only once or throws', (t) => {
  const executed: unknown[] = [];
  class Pass {
    executeBundles(bundles: unknown): void {
      executed.push(bundles);
    }
  }
  setGlobal(t, 'GPURenderPassEncoder', Pass);
  countGpuDraws(recorded().sink);
  const bundle = {};
  const once = [bundle].values();
  const hostile = new Proxy([bundle], {
    get: () => {
      throw new Error('of the game');
    },
  });
  const pass: { executeBundles(bundles: unknown): void } = new Pass();
  pass.executeBundles(once);
  pass.executeBundles(hostile);
  assert.equal(executed[0], once);
  assert.equal(executed[1], hostile);
  assert.deepEqual([...once], [bundle]);
});
