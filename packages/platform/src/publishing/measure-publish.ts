// Counts publishes by their outcome, and times their phases.
import { codeOf, type Metrics, timed } from '../metrics/metrics.ts';

/** How a build is sent: as one ZIP, or in parts. */
export type BuildForm = 'zip' | 'parts';

type Phase = 'receive' | 'check' | 'store' | 'hook' | 'commit';

/** The outcome of a publish whose client has left, or whose time was up. */
const ENDED = 'ended';

/** Runs a publish, and counts its outcome. `signal` is aborted when the client leaves. */
export async function countPublish<Result>(
  { publishes, publishing }: Metrics,
  { sent, signal }: { readonly sent: BuildForm; readonly signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  publishing.inc();
  try {
    const result = await work();
    publishes.inc({ sent, outcome: 'published' });
    return result;
  } catch (error) {
    // Whatever has failed since is a consequence.
    publishes.inc({ sent, outcome: signal.aborted ? ENDED : codeOf(error) });
    throw error;
  } finally {
    publishing.dec();
  }
}

/** Runs a phase of a publish, and records how long it took. */
export function inPhase<Result>(
  { publishPhase }: Metrics,
  phase: Phase,
  work: () => Promise<Result>,
): Promise<Result> {
  return timed(`publish ${phase}`, (seconds) => publishPhase.observe({ phase }, seconds), work);
}
