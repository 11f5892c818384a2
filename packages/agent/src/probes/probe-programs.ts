// The shell programs that collect for the agent.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program in Bash. */
export type Program = {
  readonly text: string;
  /** Its file. Null if it has none, because svc is a single executable that contains it. */
  readonly path: string | null;
};

export type ProbePrograms = {
  /** Runs BPF as root. `svc probes install` copies it. */
  readonly helper: Program;
  /** Runs perf as the user. */
  readonly perf: Program;
};

/** Reads the programs of a folder. Without it, they are in this package. */
export function readProbePrograms(
  folder: string = join(import.meta.dirname, '../../probe-programs'),
): ProbePrograms {
  const read = (name: string): Program => {
    const path = join(folder, name);
    return { text: readFileSync(path, 'utf8'), path };
  };
  return { helper: read('svc-probe'), perf: read('svc-perf') };
}
