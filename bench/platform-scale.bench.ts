// Hit rates of the caches of play, and what they leave to the object store and the database, by a simulation: popularity,
// number of processes, balancing, size of the cache on the disk. The last lines compare the simulation with real processes.
import { PRODUCT_LIMITS } from './scale/product-limits.ts';
import { compareWithReal } from './scale/real-platforms.ts';
import { busiestShare, type PhaseResult, type Simulation, simulate } from './scale/simulate.ts';
import { createWorkload, REFERENCE } from './scale/workload.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;
const PLAYS_PER_DAY = 100_000_000;
/** The simulation of one process continues until it has received the requests of this many plays. */
const PLAYS_PER_PROCESS = 3_000;
/** Processes whose caches are simulated. By slug they differ, so more are needed. */
const OBSERVED = { any: 1, slug: 10 };

type Setup = {
  readonly exponent: number;
  readonly processes: number;
  readonly balancing: Simulation['balancing'];
  readonly diskGib: number;
};

const SETUPS: readonly Setup[] = [
  ...[0.8, 1, 1.2].map((exponent) => setup({ exponent })),
  setup({ diskGib: 100 }),
  ...[1, 100].map((processes) => setup({ processes })),
  ...[1, 100].map((diskGib) => setup({ balancing: 'slug', diskGib })),
];

function setup(change: Partial<Setup>): Setup {
  return { exponent: 1, processes: 10, balancing: 'any', diskGib: 1, ...change };
}

function simulationOf({ exponent, processes, balancing, diskGib }: Setup): Simulation {
  const plays = PLAYS_PER_PROCESS * processes;
  return {
    workload: { ...REFERENCE, exponent },
    limits: { ...PRODUCT_LIMITS, disk: diskGib * GIB },
    processes,
    observed: Math.min(processes, OBSERVED[balancing]),
    balancing,
    phases: [
      { name: 'fill', plays: plays * diskPlays(diskGib) },
      { name: 'steady', plays },
      { name: 'top game replaced', plays: plays / 20, before: 'top game replaced' },
      { name: 'after a restart', plays: plays / 20, before: 'restart' },
      { name: 'after a restart without disk', plays: plays / 20, before: 'restart without disk' },
    ],
    playEveryMs: DAY_MS / PLAYS_PER_DAY,
  };
}

/** A larger disk needs more plays until it is full. */
function diskPlays(gib: number): number {
  return gib >= 100 ? 4 : 1;
}

function main(): void {
  for (const chosen of SETUPS) {
    const { exponent, processes, balancing, diskGib } = chosen;
    const simulation = simulationOf(chosen);
    const workload = createWorkload(simulation.workload);
    const busiest =
      balancing === 'slug'
        ? `, busiest process ${(busiestShare(workload, REFERENCE.games, processes) * processes).toFixed(1)} times its share`
        : '';
    console.log(
      `exponent ${exponent}, ${processes} processes, by ${balancing}, disk ${diskGib} GiB${busiest}:`,
    );
    for (const result of simulate(simulation)) console.log(`  ${describe(result)}`);
  }
}

function describe({ name, counts }: PhaseResult): string {
  const { requests, reads, memoryHits, diskHits, storeReads, storeBytes, sentBytes, queries } =
    counts;
  const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
  const perPlay = (amount: number): number => (amount * REFERENCE.filesPerGame) / requests;
  return [
    `${name}: memory ${share(memoryHits, reads)}, disk ${share(diskHits, reads)}, store ${share(storeReads, reads)}`,
    `a play: ${perPlay(storeReads).toFixed(2)} store requests, ${(perPlay(storeBytes) / 1e6).toFixed(2)} of ${(perPlay(sentBytes) / 1e6).toFixed(2)} MB, ${perPlay(queries).toFixed(3)} queries`,
  ].join('; ');
}

/** Plays that neither the memory nor the disk of a process can hold. */
async function compare(): Promise<void> {
  const comparisons = await compareWithReal({
    workload: {
      ...REFERENCE,
      games: 40,
      filesPerGame: 12,
      medianBytes: 250_000,
      spread: 1.2,
      largestBytes: 5_000_000,
      playsPerRelease: 100,
    },
    limits: { ...PRODUCT_LIMITS, disk: GIB / 16 },
    processes: 2,
    observed: 2,
    balancing: 'any',
    phases: [
      { name: 'cold', plays: 500 },
      { name: 'warm', plays: 1000 },
      { name: 'top game replaced', plays: 100, before: 'top game replaced' },
      { name: 'after a restart', plays: 500, before: 'restart' },
    ],
    playEveryMs: 1,
  });
  for (const { name, measured, predicted } of comparisons) {
    console.log(
      `two real processes, ${name}: ${measured} store requests, ${predicted} predicted, ratio ${(measured / predicted).toFixed(3)} (aim: 0.98 to 1.02)`,
    );
  }
}

main();
await compare();
