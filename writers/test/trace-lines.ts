// Reads a trace as its lines, for tests that compare what a writer wrote.
import { readFileSync } from 'node:fs';

/** The lines of a trace as objects. The last line must have its LF. */
export function linesOf(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error(`${file} ends within a line`);
  return lines.map((line) => JSON.parse(line));
}

/** One frame of a trace. An absent value is null. */
export type FrameValues = {
  readonly t: number;
  readonly duration_ms: number;
  readonly draws: number | null;
  readonly triangles: number | null;
  readonly gpu_ms: number | null;
  readonly main_ms: number | null;
};

/** The frames of all `frames` records, in file order. */
export function framesOf(records: readonly Record<string, unknown>[]): FrameValues[] {
  return records
    .filter((record) => record['type'] === 'frames')
    .flatMap((record) => {
      const value = (key: string, i: number): number | null =>
        (record[key] as (number | null)[] | undefined)?.[i] ?? null;
      let end = record['t'] as number;
      return (record['duration_ms'] as number[]).map((duration_ms, i) => {
        const t = end;
        end = Math.round((end + duration_ms) * 1000) / 1000;
        const [draws, triangles] = [value('draws', i), value('triangles', i)];
        const [gpu_ms, main_ms] = [value('gpu_ms', i), value('main_ms', i)];
        return { t, duration_ms, draws, triangles, gpu_ms, main_ms };
      });
    });
}
