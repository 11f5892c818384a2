// The collector's memory over 36,000 frames, which are ten minutes at 60 Hz: constant, except for the trace. The frames run
// as fast as possible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEAP_SCENE, measureHeap } from './heap-scene.ts';
import { launch, openPage } from './page.ts';
import { readTrace } from './trace-of.ts';

const FRAMES = 36_000;
/** The limit of growth without the trace. Smaller changes are noise of the engine. */
const GROWTH_BYTES = 300_000;

test('the heap does not grow in 36,000 frames with draws and refilled buffers', {
  timeout: 450_000,
}, async (t) => {
  const browser = await launch(
    '--disable-frame-rate-limit',
    '--disable-gpu-vsync',
    '--enable-precise-memory-info',
  );
  t.after(() => browser.close());
  await using game = await openPage(HEAP_SCENE, { browser });
  const after = async (frames: number) => {
    await game.page.waitForFunction(`frames > ${frames}`, undefined, {
      timeout: 430_000,
      polling: 250,
    });
    return measureHeap(game.page);
  };
  const early = await after(FRAMES / 12);
  const middle = await after(FRAMES / 2);
  const late = await after(FRAMES);
  const kept = late.kept - early.kept;
  console.log(
    `heap ${early.used} → ${middle.used} → ${late.used} bytes, of that ${kept} bytes of trace`,
  );
  assert.ok(
    late.used - early.used - kept < GROWTH_BYTES,
    `${late.used - early.used} bytes in ${FRAMES} frames`,
  );
  const lines = readTrace(await game.page.evaluate<string>('(svc.stop(), svc.exportText())'));
  const frames = lines.flatMap((line) => (line.type === 'frames' ? line.duration_ms : []));
  const lost = lines.flatMap((line) =>
    line.type === 'loss' && line.reason === 'buffer_full' ? [line.count ?? 0] : [],
  );
  assert.ok(frames.length + lost.reduce((sum, count) => sum + count, 0) >= FRAMES * 0.99);
});
