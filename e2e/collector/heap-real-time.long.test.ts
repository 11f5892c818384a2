// The collector's memory in real time: ten minutes of frames at the screen's rate, with the writes, observers and idle
// callbacks that depend on time. heap.long.test.ts runs as many frames in less time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEAP_SCENE, measureHeap } from './heap-scene.ts';
import { launch, openPage } from './page.ts';
import { readTrace } from './trace-of.ts';

const RUN_MS = 600_000;
/** After this time all code is compiled and all buffers exist. */
const SETTLED_MS = 30_000;
/** The limit of growth without the trace. Smaller changes are noise of the engine. */
const GROWTH_BYTES = 300_000;

test('the heap does not grow in ten minutes at the screen’s rate', {
  timeout: 750_000,
}, async (t) => {
  const browser = await launch('--enable-precise-memory-info');
  t.after(() => browser.close());
  await using game = await openPage(HEAP_SCENE, { browser });
  const after = async (ms: number) => {
    await game.page.waitForFunction(`performance.now() > ${ms}`, undefined, {
      timeout: RUN_MS + 60_000,
      polling: 1_000,
    });
    return measureHeap(game.page);
  };
  const early = await after(SETTLED_MS);
  const late = await after(RUN_MS);
  const kept = late.kept - early.kept;
  const frames = await game.page.evaluate<number>('frames');
  console.log(
    `${frames} frames: heap ${early.used} → ${late.used} bytes, of that ${kept} of trace`,
  );
  assert.ok(late.used - early.used - kept < GROWTH_BYTES, `${late.used - early.used} bytes`);
  const lines = readTrace(await game.page.evaluate<string>('(svc.stop(), svc.exportText())'));
  const recorded = lines.flatMap((line) => (line.type === 'frames' ? line.duration_ms : []));
  const seconds = recorded.reduce((sum, ms) => sum + ms, 0) / 1000;
  assert.ok(seconds > (RUN_MS / 1000) * 0.98, `${seconds} s of frames`);
});
