// The programs that collect for the agent: shell scripts, beside the package's sources or where a bundle keeps them.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths of the programs. */
export type ProbePrograms = {
  /** Runs BPF as root; `svc probes install` copies it. */
  readonly helper: string;
  /** Runs perf as the user. */
  readonly perf: string;
};

/** `folder` is where a bundle keeps them; from source they are found by themselves. */
export function probePrograms(folder: string | undefined): ProbePrograms {
  const place = folder ?? fileURLToPath(new URL('../../probe-programs', import.meta.url));
  return { helper: join(place, 'svc-probe'), perf: join(place, 'svc-perf') };
}
