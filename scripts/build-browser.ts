// Builds what browsers load: runs the `build` script's command of each workspace that has one, when its sources changed.
// `npm ci` runs it by `prepare`; `npm start` and the tests run it again, which costs nothing when all is fresh.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Manifest, ROOT, readWorkspaces, type Workspace } from './workspaces.ts';

/**
 * Builds every workspace whose sources, or those of the workspaces it imports, are not the ones of its last build.
 * Throws where a build fails; output of a build that succeeds is not shown.
 */
export function buildBrowserCode(): void {
  const workspaces = readWorkspaces();
  for (const workspace of workspaces) {
    const command = workspace.manifest.scripts?.['build'];
    if (command === undefined) continue;
    const digest = digestSources(withImports(workspace, workspaces));
    if (readStamp(workspace) === digest) continue;
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

/** The workspace and all workspaces that it reaches by its manifest. */
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

/** Beside dist/, not in it: what is built may be published as it is. */
function stampPath(workspace: Workspace): string {
  return join(ROOT, workspace.folder, '.cache/built-from');
}

function readStamp(workspace: Workspace): string | null {
  try {
    if (!existsSync(join(ROOT, workspace.folder, 'dist'))) return null;
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
