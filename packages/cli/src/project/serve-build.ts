// Serves a checked build on this machine, as a preview.
import { explainFullDisk } from '../process/disk-full.ts';
import { type PreparedBuild, refusal } from './prepare-build.ts';

export type ServeOptions = {
  readonly signal: AbortSignal;
  /** Called when the game requests a file that the build does not have. */
  readonly onMissing?: (path: string) => void;
  /** Called when a file cannot be sent. */
  readonly onFailure?: (error: unknown) => void;
};

/** Disposing of it ends the server. */
export type ServedBuild = AsyncDisposable & { readonly url: string };

/** Serves the build at a free port of 127.0.0.1. Throws an ExitError (1, 7 or 8). */
export async function servePrepared(
  { zipPath, shownPath }: PreparedBuild,
  { signal, onMissing = () => {}, onFailure = () => {} }: ServeOptions,
): Promise<ServedBuild> {
  const [{ startPreview }, { BuildError }] = await Promise.all([
    import('@svc/delivery/preview'),
    import('@svc/game-build'),
  ]);
  try {
    return await startPreview({ zipPath, port: 0, signal, onMissing, onFailure });
  } catch (error) {
    // The file was changed after its check.
    if (error instanceof BuildError) throw refusal(shownPath, error);
    throw explainFullDisk(error, 'unpack the build');
  }
}
