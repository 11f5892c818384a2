// Replays plays at several processes, and counts what they cause.
import { type Counts, createModelProcess, noCounts } from './model-process.ts';
import type { Limits } from './product-limits.ts';
import { hash32 } from './random.ts';
import { createWorkload, type Workload, type WorkloadOptions } from './workload.ts';

/** A part of the day with its own counts. Something may happen before it. */
export type Phase = {
  readonly name: string;
  readonly plays: number;
  readonly before?: 'top game replaced' | 'restart' | 'restart without disk';
};

export type Simulation = {
  readonly workload: WorkloadOptions;
  readonly limits: Limits;
  readonly processes: number;
  /** The first processes, whose caches are simulated. The others receive their requests and are not simulated. */
  readonly observed: number;
  /** `any`: each request goes to any process, as in turns with the requests of others between. `slug`: all requests for a game go to the same one. */
  readonly balancing: 'any' | 'slug';
  readonly phases: readonly Phase[];
  /** Time in milliseconds from a play to the next one. */
  readonly playEveryMs: number;
};

export type PhaseResult = {
  readonly name: string;
  readonly plays: number;
  readonly counts: Counts;
};

/** Runs the phases one after the other, in the same processes. The counts are those of the observed processes. */
export function simulate(simulation: Simulation): readonly PhaseResult[] {
  const { limits, observed, phases } = simulation;
  const workload = createWorkload(simulation.workload);
  const counts = noCounts();
  const processes = Array.from({ length: observed }, () => createModelProcess(limits, counts));
  const router = createRouter(simulation);
  let now = 0;
  return phases.map(({ name, plays, before }) => {
    Object.assign(counts, noCounts());
    if (before === 'top game replaced') workload.replace(0);
    else if (before !== undefined) {
      for (const process of processes) process.restart(before === 'restart');
    }
    for (let play = 0; play < plays; play++) {
      now += simulation.playEveryMs;
      const { game } = workload.next();
      for (let file = 0; file < simulation.workload.filesPerGame; file++) {
        processes[router(game)]?.request(workload.fileOf(game, file), now);
      }
    }
    return { name, plays, counts: { ...counts } };
  });
}

/** Returns a function for the index of the process that receives a request. */
export function createRouter({
  processes,
  balancing,
}: Pick<Simulation, 'processes' | 'balancing'>): (game: number) => number {
  if (balancing === 'slug') return (game) => hash32(game, processes) % processes;
  let next = 0;
  // Strict turns would send the same files of each game to the same process.
  return () => hash32(next++, processes) % processes;
}

/** The share of all requests that the busiest process receives if the proxy balances by slug. */
export function busiestShare(workload: Workload, games: number, processes: number): number {
  const router = createRouter({ processes, balancing: 'slug' });
  const shares = new Float64Array(processes);
  for (let game = 0; game < games; game++) {
    const process = router(game);
    shares[process] = (shares[process] ?? 0) + workload.zipf.shareOf(game);
  }
  return Math.max(...shares);
}
