// The relations between processes: who started whom.
import type { Kin } from './listed-process.ts';

/** The children of a process, their children and so on, in no order. */
export function descendantsOf<Process extends Kin>(
  pid: number,
  processes: readonly Process[],
): Process[] {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const found = new Set<Process>();
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const child of children.get(next) ?? []) {
      // Processes are read one after another, so their parents can form a circle.
      if (found.has(child) || child.pid === pid) continue;
      found.add(child);
      pending.push(child.pid);
    }
  }
  return [...found];
}

/** The ids of a process, its parent, the parent of that and so on. */
export function lineOf(pid: number, processes: readonly Kin[]): Set<number> {
  const parents = new Map(processes.map((one) => [one.pid, one.parent]));
  const line = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !line.has(next); ) {
    line.add(next);
    next = parents.get(next);
  }
  return line;
}
