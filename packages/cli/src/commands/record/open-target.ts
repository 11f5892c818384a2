// The page that is recorded: a URL, or a build that is served on this machine.
import type { Call } from '../../command-line/define-command.ts';
import { safeLine } from '../../output/text.ts';
import { explainFullDisk } from '../../process/disk-full.ts';
import { prepareBuild, refusal } from '../../project/prepare-build.ts';
import { readProjectFile } from '../../project/project-file.ts';
import { isWebAddress } from '../../project/web-address.ts';

/** The most missing files that are reported, each once. */
const MISSING_REPORTED = 100;

/** Disposing of it ends the server of a build. */
export type Target = AsyncDisposable & {
  readonly url: string;
  /** The address that is left out of names, or null for a page that svc does not serve. */
  readonly base: string | null;
};

/** Checks and serves a build. Throws an ExitError (2, 7 or 8). */
export async function openTarget(
  { args: [named], io, output, options }: Call<{ readonly allowSecrets?: boolean }>,
  signal: AbortSignal,
): Promise<Target> {
  if (named !== undefined && isWebAddress(named)) {
    return { url: named, base: null, async [Symbol.asyncDispose]() {} };
  }
  using prepared = await prepareBuild({
    cwd: io.cwd,
    named,
    project: readProjectFile(io.cwd),
    allowSecrets: options.allowSecrets === true,
    limits: {},
    signal,
  });
  const reported = new Set<string>();
  const [{ startPreview }, { BuildError }] = await Promise.all([
    import('@svc/delivery/preview'),
    import('@svc/game-build'),
  ]);
  try {
    const preview = await startPreview({
      zipPath: prepared.zipPath,
      port: 0,
      signal,
      onMissing(path) {
        if (path === 'favicon.ico' || reported.has(path) || reported.size >= MISSING_REPORTED)
          return;
        reported.add(path);
        output.warn(`The game requested ${safeLine(path)}, which the build does not have.`);
      },
      onFailure: (error) => output.warn(`A file of the build could not be sent: ${String(error)}`),
    });
    const { url } = preview;
    return { url, base: url, [Symbol.asyncDispose]: () => preview[Symbol.asyncDispose]() };
  } catch (error) {
    // The file was changed after its check.
    if (error instanceof BuildError) throw refusal(prepared.shownPath, error);
    throw explainFullDisk(error, 'unpack the build');
  }
}
