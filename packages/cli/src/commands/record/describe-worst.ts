// The longest hitch of a recording, and the functions that ran in it.
import { DEFAULT_BUDGET_MS, findHitches, functionsOf, momentOf } from '@svc/trace';
import type { Documents } from '../../documents.ts';
import type { Io } from '../../process/io.ts';
import { readModel } from '../../trace/read-model.ts';

export type Worst = NonNullable<Documents['record']['worst']>;

const FUNCTIONS = 5;

/** Reads the trace. Null if it has no hitch. */
export async function describeWorst(path: string, io: Io): Promise<Worst | null> {
  const model = await readModel(path, io);
  const [hitch] = findHitches(model, DEFAULT_BUDGET_MS, Number.POSITIVE_INFINITY);
  if (hitch === undefined) return null;
  const { start_ms, duration_ms } = hitch;
  const { stacks } = momentOf(model, { from_ms: start_ms, to_ms: start_ms + duration_ms });
  return {
    t: rounded(start_ms),
    duration_ms: rounded(duration_ms),
    functions: stacks.flatMap(({ tree }) =>
      functionsOf(tree, FUNCTIONS).map(({ name, self, total }) => ({
        name,
        self_ms: rounded(self),
        total_ms: rounded(total),
      })),
    ),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
