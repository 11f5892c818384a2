// The root and the workspaces of the repository.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Absolute path of the repository's root folder. */
export const ROOT: string = join(import.meta.dirname, '..');

/** The fields of a package.json that these scripts read. */
export type Manifest = {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

export type Workspace = {
  /** Folder relative to the root, with forward slashes: `packages/trace`. */
  readonly folder: string;
  readonly manifest: Manifest;
};

/** Every workspace of the repository, sorted by folder. */
export function readWorkspaces(): Workspace[] {
  const { workspaces } = readJson('package.json') as { workspaces: string[] };
  return globSync(
    workspaces.map((pattern) => `${pattern}/package.json`),
    { cwd: ROOT },
  )
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({
      folder: path.slice(0, -'/package.json'.length),
      manifest: readJson(path) as Manifest,
    }));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
