// Finds the shell programs that collect for the agent, beside the package's sources or in a bundle.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths of the programs. */
export type ProbePrograms = {
  /** Runs BPF as root. `svc probes install` copies it. */
  readonly helper: string;
  /** Runs perf as the user. */
  readonly perf: string;
};

/**
 * Returns the paths. `folder` contains the programs in a bundle. Without it, they are in the
 * package.
 */
export function probePrograms(folder: string | undefined): ProbePrograms {
  const place = folder ?? fileURLToPath(new URL('../../probe-programs', import.meta.url));
  return { helper: join(place, 'svc-probe'), perf: join(place, 'svc-perf') };
}
