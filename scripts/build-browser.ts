// Builds the code for browsers: runs the `build` script of each workspace that has one, if its sources have changed.
// `npm ci` runs this in `prepare`, and `npm start` and the tests run it again.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Manifest, ROOT, readWorkspaces, type Workspace } from './workspaces.ts';

/**
 * Builds each workspace whose sources, or those of its dependencies, have changed since its last build. Throws with the
 * build's output if a build fails.
 */
export function buildBrowserCode(): void {
  const workspaces = readWorkspaces();
  for (const workspace of workspaces) {
    const command = workspace.manifest.scripts?.['build'];
    if (command === undefined) continue;
    const digest = digestSources(withImports(workspace, workspaces));
    if (readStamp(workspace) === digest) continue;
    // After a build that was stopped in the middle, the next one must not be skipped.
    rmSync(stampPath(workspace), { force: true });
    runBuild(workspace, command);
    writeStamp(workspace, digest);
  }
}

function runBuild(workspace: Workspace, command: string): void {
  const bin = join(ROOT, 'node_modules/.bin');
  const result = spawnSync(command, {
    cwd: join(ROOT, workspace.folder),
    shell: true,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
  });
  if (result.status !== 0) {
    throw new Error(`Cannot build "${workspace.folder}":\n${result.stdout}${result.stderr}`);
  }
}

/** The workspace and all workspaces that it depends on, directly or indirectly. */
function withImports(start: Workspace, all: readonly Workspace[]): Workspace[] {
  const reached = new Set([start]);
  for (const workspace of reached) {
    for (const name of importedNames(workspace.manifest)) {
      const imported = all.find((other) => other.manifest.name === name);
      if (imported !== undefined) reached.add(imported);
    }
  }
  return [...reached];
}

function importedNames(manifest: Manifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
}

function digestSources(workspaces: readonly Workspace[]): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const { folder } of workspaces) {
    const sources = globSync(
      [
        'src/**/*.{ts,tsx,css,html,svg,json}',
        'public/**/*.*',
        '*.{ts,html,json}',
        'scripts/**/*.ts',
      ],
      {
        cwd: join(ROOT, folder),
      },
    );
    for (const path of sources.filter((path) => !path.includes('.test.')).sort()) {
      hash.update(`\0${folder}/${path}\0`).update(readFileSync(join(ROOT, folder, path)));
    }
  }
  return hash.digest('hex');
}

/** The file with the digest of the built sources. It is outside dist/, because dist/ can be published as it is. */
function stampPath(workspace: Workspace): string {
  return join(ROOT, workspace.folder, '.cache/built-from');
}

/** What a build writes besides dist/. */
const MORE_OUTPUT: Readonly<Record<string, readonly string[]>> = {
  '@svc/viewer': ['standalone/svc-viewer.html'],
};

/** The digest of the sources of the last build. Null if there is none, or if its output is missing. */
function readStamp(workspace: Workspace): string | null {
  try {
    const output = ['dist', ...(MORE_OUTPUT[workspace.manifest.name] ?? [])];
    if (output.some((path) => !existsSync(join(ROOT, workspace.folder, path)))) return null;
    return readFileSync(stampPath(workspace), 'utf8');
  } catch {
    return null;
  }
}

function writeStamp(workspace: Workspace, digest: string): void {
  mkdirSync(join(ROOT, workspace.folder, '.cache'), { recursive: true });
  writeFileSync(stampPath(workspace), digest);
}

if (import.meta.main) buildBrowserCode();
