// Cuts frames off the start of a record.
import { type FramesRecord, roundMs } from '@svc/trace';

/** The frames that begin at `fromMs` or later, by trace time. Null if there are none. */
export function framesFrom(record: FramesRecord, fromMs: number): FramesRecord | null {
  const { duration_ms, draws, triangles, gpu_ms, main_ms } = record;
  let t = record.t;
  let first = 0;
  while (first < duration_ms.length && t < fromMs) t += duration_ms[first++] ?? 0;
  if (first === duration_ms.length) return null;
  if (first === 0) return record;
  return {
    ...record,
    t: roundMs(t),
    duration_ms: duration_ms.slice(first),
    ...(draws && { draws: draws.slice(first) }),
    ...(triangles && { triangles: triangles.slice(first) }),
    ...(gpu_ms && { gpu_ms: gpu_ms.slice(first) }),
    ...(main_ms && { main_ms: main_ms.slice(first) }),
  };
}
