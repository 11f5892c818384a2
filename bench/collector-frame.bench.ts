// The cost of recording for a frame of 2,000 draw calls, compared with stats-gl and stats.js in the same run on isolated
// pages. Every second frame runs without the tool. An empty frame callback is measured in the same way, as the error of the
// measurement. SVC_BENCH_ROUNDS=1 takes less than a minute, the default of three rounds about two and a half.
import type { Browser } from 'playwright-core';
import { percentile } from './collector/percentile.ts';
import { launchBrowser, runPage, versionOf } from './collector/run-page.ts';
import type { Measured } from './collector/scene.ts';

const FRAMES = 200;
const ROUNDS = Number(process.env['SVC_BENCH_ROUNDS'] ?? 3);
const TOOLS = ['empty', 'collector', 'stats-gl', 'stats-js'] as const;

type Tool = (typeof TOOLS)[number];
type Cost = { readonly p50: number; readonly p99: number };

async function main(): Promise<void> {
  const browser = await launchBrowser();
  try {
    const measured = await measureAll(browser);
    const costs = new Map(TOOLS.map((tool) => [tool, printCost(tool, measured[tool])]));
    printRatio(costs.get('collector'), costs.get('stats-gl'));
  } finally {
    await browser.close();
  }
}

/** Measures all tools in turns, several times, so that other load affects all equally. */
async function measureAll(browser: Browser): Promise<Record<Tool, Measured[]>> {
  const all: Record<Tool, Measured[]> = {
    empty: [],
    collector: [],
    'stats-gl': [],
    'stats-js': [],
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const tool of TOOLS) {
      const { result } = await runPage<Measured>(browser, tool, FRAMES);
      all[tool].push(result);
    }
  }
  return all;
}

/**
 * The cost of a tool per frame, in µs: its own time, measured around each of its calls, and the median by which drawing
 * becomes slower. Whole frames are reported too, but on a busy machine their p99 depends on other load.
 */
function printCost(tool: Tool, rounds: readonly Measured[]): Cost {
  const own = rounds.flatMap((round) => round.own);
  const [before, after] = [
    rounds.flatMap((round) => round.withoutTool),
    rounds.flatMap((round) => round.withTool),
  ];
  const grown = percentile(after, 0.5) - percentile(before, 0.5);
  const draws = Math.max(0, grown - percentile(own, 0.5));
  const between = rounds.reduce((sum, round) => sum + round.betweenMsPerSecond, 0) / rounds.length;
  const at = (share: number) => percentile(own, share).toFixed(0);
  const whole = (share: number) =>
    `${percentile(before, share).toFixed(0)} → ${percentile(after, share).toFixed(0)} µs`;
  console.log(
    `${tool}: own time p50 ${at(0.5)} µs, p90 ${at(0.9)}, p99 ${at(0.99)}; drawing slower by ${draws.toFixed(0)} µs; whole frames p50 ${whole(0.5)}, p99 ${whole(0.99)}; between frames ${between.toFixed(2)} ms per second; ${own.length} frames`,
  );
  return { p50: percentile(own, 0.5) + draws, p99: percentile(own, 0.99) + draws };
}

function printRatio(collector: Cost | undefined, peer: Cost | undefined): void {
  if (collector === undefined || peer === undefined) return;
  const ratio = (share: keyof Cost) => (collector[share] / peer[share]).toFixed(2);
  console.log(
    `collector / stats-gl ${versionOf('stats-gl')}: ${ratio('p50')} at the median, ${ratio('p99')} at p99`,
  );
}

await main();
