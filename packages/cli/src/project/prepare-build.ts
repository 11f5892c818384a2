// Turns a folder or ZIP into a checked ZIP on disk, and removes temporary files.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Build, BuildLimits, Finding } from '@svc/game-build';
import { explainFullDisk } from '../process/disk-full.ts';
import { type ErrorDetail, EXIT, type ExitCode, ExitError } from '../process/exit-codes.ts';
import { findBuildPathFault } from './build-path.ts';
import { PROJECT_FILE, type ProjectFile } from './project-file.ts';

export type BuildRequest = {
  /** Absolute path that relative paths are resolved against. */
  readonly cwd: string;
  /** The path on the command line. Undefined for the project file's `build`. */
  readonly named: string | undefined;
  readonly project: ProjectFile | null;
  readonly allowSecrets: boolean;
  readonly limits: Partial<BuildLimits>;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: { readonly bytes: number; readonly total_bytes: number }) => void;
};

/** A build that may be published. Disposing of it removes the packed ZIP. */
export type PreparedBuild = Disposable & {
  readonly kind: 'zip';
  /** The path relative to the working directory, for messages. */
  readonly shownPath: string;
  readonly zipPath: string;
  readonly build: Build;
  /** Paths left out by ignore rules; empty for a ZIP. */
  readonly ignored: readonly string[];
};

/** Finds the folder or ZIP to publish. Throws an ExitError: 2 if none is named, 7 if it does not exist. */
export function locateBuild({ cwd, named, project }: Omit<BuildRequest, 'signal'>): {
  path: string;
  isFolder: boolean;
} {
  const from = named ?? project?.build;
  if (from === undefined) {
    throw new ExitError(EXIT.usage, 'usage', 'No build is named.', {
      hint: 'Name a folder or a ZIP on the command line, or in svc.json: "build": "dist".',
    });
  }
  if (named === undefined) refuseBuildPath(from);
  const path = resolve(cwd, from);
  try {
    return { path, isFolder: statSync(path).isDirectory() };
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'it does not exist'
        : String(error);
    throw new ExitError(
      EXIT.invalid,
      'build_not_found',
      `Cannot read the build "${from}": ${reason}.`,
      {
        hint: hintForMissing(from, named === undefined),
      },
    );
  }
}

function hintForMissing(from: string, fromFile: boolean): string {
  if (fromFile) return 'Its path is from svc.json. Build the game first, or correct the path.';
  if (!from.includes('\\')) return 'Build the game first, or correct the path.';
  return `Folders are separated by "/" here. Did you mean ${from.replaceAll('\\', '/')}?`;
}

/** Rejects a path outside the project with one message, instead of a finding for each file there. */
function refuseBuildPath(build: string): void {
  const fault = findBuildPathFault(build);
  if (fault === null) return;
  throw new ExitError(
    EXIT.invalid,
    'project_file_invalid',
    `Cannot use ${PROJECT_FILE}: "build" is not valid.`,
    {
      details: [{ path: 'build', ...fault }],
    },
  );
}

/** Packs a folder, or uses the ZIP, and checks it by the rules of the platform. Throws an ExitError (7 or 8) with all findings. */
export async function prepareBuild(request: BuildRequest): Promise<PreparedBuild> {
  const { path, isFolder } = locateBuild(request);
  const shownPath = relative(request.cwd, path) || '.';
  const folder = isFolder ? mkdtempSync(join(tmpdir(), 'svc-publish-')) : null;
  const remove = (): void => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const zipPath = folder === null ? path : join(folder, 'build.zip');
    const ignored = folder === null ? [] : await pack(path, zipPath, request);
    const build = await judge(zipPath, shownPath, request);
    return { kind: 'zip', shownPath, zipPath, build, ignored, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function pack(folder: string, zipPath: string, request: BuildRequest): Promise<string[]> {
  const { BuildError, packToFile, planPack } = await import('@svc/game-build');
  const { signal, onProgress } = request;
  const options = {
    ...packOptions(request),
    signal,
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  try {
    const { ignored } = await planPack(folder, options);
    await packToFile(folder, zipPath, options);
    return [...ignored];
  } catch (error) {
    if (error instanceof BuildError) throw refusal(relative(request.cwd, folder) || '.', error);
    throw explainFullDisk(error, 'pack the build');
  }
}

/** Which files of a folder belong to the build. */
export function packOptions({
  allowSecrets,
  limits,
  project,
}: Pick<BuildRequest, 'allowSecrets' | 'limits' | 'project'>) {
  return { allowSecrets, limits, ignore: [`/${PROJECT_FILE}`, ...(project?.ignore ?? [])] };
}

async function judge(zipPath: string, shownPath: string, request: BuildRequest): Promise<Build> {
  const { checkBuild } = await import('@svc/game-build');
  const verdict = await checkBuild(zipPath, { limits: request.limits, signal: request.signal });
  if (verdict.accepted) return verdict.build;
  throw refusal(shownPath, verdict);
}

/** The error for a rejected build. */
export function refusal(
  shownPath: string,
  refused: { readonly code: string; readonly findings: readonly Finding[] },
): ExitError {
  const count = refused.findings.length;
  const faults = count === 1 ? 'one fault' : `${count} faults`;
  return new ExitError(
    exitCodeOf(refused.code),
    refused.code,
    `The build "${shownPath}" cannot be published. It has ${faults}.`,
    { details: refused.findings.map(toDetail) },
  );
}

const TOO_LARGE = [
  'payload_too_large',
  'zip_too_many_entries',
  'zip_file_too_large',
  'zip_expansion_limit',
];

function exitCodeOf(code: string): ExitCode {
  return TOO_LARGE.includes(code) ? EXIT.too_large : EXIT.invalid;
}

function toDetail({ entry, rule, message, hint }: Finding): ErrorDetail {
  return {
    rule,
    message,
    ...(entry === null ? {} : { entry }),
    ...(hint === null ? {} : { hint }),
  };
}

/** Converts the limits of `GET /limits` to those of game-build. */
export function buildLimits(limits: Readonly<Record<string, number>>): Partial<BuildLimits> {
  const names = {
    zip_bytes: 'build_zip_bytes',
    expanded_bytes: 'build_expanded_bytes',
    file_bytes: 'build_file_bytes',
    files: 'build_files',
    path_bytes: 'build_path_bytes',
    path_levels: 'build_path_levels',
  } as const;
  return Object.fromEntries(
    Object.entries(names).flatMap(([own, name]) => {
      const value = limits[name];
      return value === undefined ? [] : [[own, value]];
    }),
  );
}
