// Serves a checked build on this machine, as a preview.
import type { Preview } from '@svc/delivery/preview';
import { explainFullDisk } from '../process/disk-full.ts';
import { type PreparedBuild, refusal } from './prepare-build.ts';

/** The most missing files that are reported. */
const MISSING_REPORTED = 100;

export type ServeOptions = {
  /** The port on 127.0.0.1. A free one if it is undefined. */
  readonly port?: number | undefined;
  /** Whether the pages of the game may sample their own functions. */
  readonly profiling?: boolean;
  readonly signal: AbortSignal;
  /** Called for each file that the game requests and the build does not have: once for a path, and for 100 paths at most. */
  readonly onMissing?: (path: string) => void;
  /** Called with the reason when a file cannot be sent. */
  readonly onFailure?: (reason: string) => void;
};

/** Serves the build. Throws an ExitError (1, 7 or 8), or Node's error if the port is not free. */
export async function servePrepared(
  { zipPath, shownPath }: PreparedBuild,
  { port = 0, profiling = false, signal, onMissing, onFailure }: ServeOptions,
): Promise<Preview> {
  const [{ startPreview }, { BuildError }] = await Promise.all([
    import('@svc/delivery/preview'),
    import('@svc/game-build'),
  ]);
  const reported = new Set<string>();
  try {
    return await startPreview({
      ...{ zipPath, port, profiling, signal },
      onMissing(path) {
        if (reported.has(path) || reported.size >= MISSING_REPORTED) return;
        reported.add(path);
        onMissing?.(path);
      },
      onFailure: (error) => onFailure?.(error instanceof Error ? error.message : String(error)),
    });
  } catch (error) {
    // The file was changed after its check.
    if (error instanceof BuildError) throw refusal(shownPath, error);
    throw explainFullDisk(error, 'unpack the build');
  }
}
