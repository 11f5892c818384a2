// The time per second of the open overlay: during a recording, whose frames it reads, and alone, when it counts frames itself.
import type { OverlayMeasured } from './collector/overlay-page.ts';
import { launchBrowser, runPage } from './collector/run-page.ts';

const SECONDS = 15;

async function main(): Promise<void> {
  const browser = await launchBrowser();
  try {
    for (const recording of [false, true]) {
      const { result, layoutMs } = await runPage<OverlayMeasured>(
        browser,
        'overlay',
        SECONDS,
        recording,
      );
      const { updates, frames } = result;
      const layout = layoutMs / SECONDS;
      console.log(
        `overlay open, ${recording ? 'recording' : 'nothing recorded'}: ${(updates + frames + layout).toFixed(2)} ms per second: ${updates.toFixed(2)} in its updates, ${frames.toFixed(2)} in frame callbacks, ${layout.toFixed(2)} in style and layout`,
      );
    }
  } finally {
    await browser.close();
  }
}

await main();
