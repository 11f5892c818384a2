// The cost of recording for the example game Moonhop, played by its autopilot, with and without the collector.
import { playExample } from './collector/example.ts';
import { percentile } from './collector/percentile.ts';
import { launchBrowser } from './collector/run-page.ts';

const ROUNDS = 2;

async function main(): Promise<void> {
  const browser = await launchBrowser();
  const without: number[] = [];
  const recorded: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      without.push(...(await playExample(browser, false)));
      recorded.push(...(await playExample(browser, true)));
    }
  } finally {
    await browser.close();
  }
  for (const share of [0.25, 0.5, 0.99]) {
    const [before, after] = [percentile(without, share), percentile(recorded, share)];
    console.log(
      `Moonhop p${share * 100}: ${before.toFixed(0)} → ${after.toFixed(0)} µs of the main thread per frame, ratio ${(after / before).toFixed(2)}; ${recorded.length} frames each`,
    );
  }
}

await main();
