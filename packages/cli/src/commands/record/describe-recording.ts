// What bounds the frames of a recording, its longest hitch, what caused it, and the functions that ran in it.
import {
  functionsOf,
  momentOf,
  type TraceBounds,
  type TraceModel,
  traceBounds,
  traceBoundText,
} from '@svc/trace';
import type { Documents } from '../../documents.ts';
import { describeCauses } from '../../trace/describe-causes.ts';

export type Description = Pick<Documents['record'], 'bound' | 'answer' | 'worst'>;

const FUNCTIONS = 5;

/** `bounds` are those of the model. `bound` and `worst` are null if the trace has no hitch. */
export function describeRecording(
  model: TraceModel,
  bounds: TraceBounds = traceBounds(model),
): Description {
  const { bound, hitches } = bounds;
  const answer = traceBoundText(bounds);
  const [hitch] = hitches;
  if (hitch === undefined) return { bound, answer, worst: null };
  const { start_ms, duration_ms } = hitch;
  const moment = momentOf(model, { from_ms: start_ms, to_ms: start_ms + duration_ms });
  const worst = {
    t: rounded(start_ms),
    duration_ms: rounded(duration_ms),
    bound: hitch.bound,
    causes: describeCauses(hitch, moment),
    functions: moment.stacks.flatMap((stacks) =>
      functionsOf(stacks, FUNCTIONS).map(({ name, self, total }) => ({
        name,
        self_ms: rounded(self),
        total_ms: rounded(total),
      })),
    ),
  };
  return { bound, answer, worst };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
