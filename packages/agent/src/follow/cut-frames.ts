// Cuts frames off a record.
import { type FramesRecord, roundMs } from '@svc/trace';

/** The frames that begin at `fromMs` or later and end at `toMs` or earlier, by trace time. Null if there are none. */
export function framesWithin(
  record: FramesRecord,
  fromMs: number,
  toMs: number = Number.POSITIVE_INFINITY,
): FramesRecord | null {
  const { duration_ms, draws, triangles, gpu_ms, main_ms } = record;
  const frames = duration_ms.length;
  let t = record.t;
  let first = 0;
  while (first < frames && t < fromMs) t += duration_ms[first++] ?? 0;
  let end = t;
  let after = first;
  while (after < frames && roundMs(end + (duration_ms[after] ?? 0)) <= toMs) {
    end += duration_ms[after++] ?? 0;
  }
  if (first === after) return null;
  if (first === 0 && after === frames) return record;
  return {
    ...record,
    t: roundMs(t),
    duration_ms: duration_ms.slice(first, after),
    ...(draws && { draws: draws.slice(first, after) }),
    ...(triangles && { triangles: triangles.slice(first, after) }),
    ...(gpu_ms && { gpu_ms: gpu_ms.slice(first, after) }),
    ...(main_ms && { main_ms: main_ms.slice(first, after) }),
  };
}
