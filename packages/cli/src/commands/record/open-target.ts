// The page that is recorded: a URL, or a build that is served on this machine.
import type { Call } from '../../command-line/define-command.ts';
import { safeLine } from '../../output/text.ts';
import { prepareBuild } from '../../project/prepare-build.ts';
import { readProjectFile } from '../../project/project-file.ts';
import { servePrepared } from '../../project/serve-build.ts';
import { isWebAddress } from '../../project/web-address.ts';

/** Disposing of it ends the server of a build. */
export type Target = AsyncDisposable & {
  readonly url: string;
  /** The address that is left out of names, or null for a page that svc does not serve. */
  readonly base: string | null;
  /** The build: the path of its folder or ZIP, relative to the working directory, and its digest. Null for a URL. */
  readonly build: { readonly path: string; readonly digest: string } | null;
};

/** Checks and serves a build. Throws an ExitError (2, 7 or 8). */
export async function openTarget(
  { args: [named], io, output, options }: Call<{ readonly allowSecrets?: boolean }>,
  signal: AbortSignal,
): Promise<Target> {
  if (named !== undefined && isWebAddress(named)) {
    return { url: named, base: null, build: null, async [Symbol.asyncDispose]() {} };
  }
  using prepared = await prepareBuild({
    cwd: io.cwd,
    named,
    project: readProjectFile(io.cwd),
    allowSecrets: options.allowSecrets === true,
    limits: {},
    signal,
  });
  const served = await servePrepared(prepared, {
    signal,
    onMissing: (path) => {
      if (path === 'favicon.ico') return;
      output.warn(`The game requested ${safeLine(path)}, which the build does not have.`);
    },
    onFailure: (reason) => output.warn(`A file of the build could not be sent: ${reason}`),
  });
  const { url } = served;
  return {
    url,
    base: url,
    build: { path: prepared.shownPath, digest: prepared.build.digest },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}
