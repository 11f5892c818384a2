// The package.json of a package in the release, made from the one of its workspace.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/workspaces.ts';
import type { Product } from './products.ts';

type Versions = Readonly<Record<string, string>>;

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly sideEffects?: boolean;
  readonly exports?: Readonly<Record<string, Versions | string>>;
  readonly unpkg?: string;
  readonly jsdelivr?: string;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
};

/**
 * The start files run on this Node and later, and continue with the Node that is installed as an optional dependency if the program
 * needs a newer one.
 */
const OLDEST_NODE = '>=18';

/** Returns the text of the manifest. */
export function publishedManifest({ workspace, start, installed, keywords }: Product): string {
  const manifest = readManifest(workspace);
  const { name, version, description, license, sideEffects, exports, unpkg, jsdelivr } = manifest;
  const published = {
    ...{ name, version, description, keywords, license, type: 'module', sideEffects },
    bin: start === null ? undefined : { [start.replace('.mjs', '')]: `bin/${start}` },
    exports: start === null ? withoutSources(exports ?? {}) : undefined,
    ...{ unpkg, jsdelivr },
    engines: start === null ? undefined : { node: OLDEST_NODE },
    dependencies: pick(manifest.dependencies, installed),
    optionalDependencies:
      start === null
        ? undefined
        : { ...pick(manifest.optionalDependencies, installed), ...nodePackages() },
    publishConfig: { access: 'public' },
  };
  return `${JSON.stringify(published, null, 2)}\n`;
}

/** The packages with Node for each platform, which the checkout uses as well. */
export function nodePackages(): Versions {
  return readManifest('.').optionalDependencies ?? {};
}

/** The exports without the condition that chooses the sources, which are not published. */
function withoutSources(exports: NonNullable<Manifest['exports']>): object {
  return Object.fromEntries(
    Object.entries(exports).map(([path, target]) => {
      if (typeof target === 'string') return [path, target];
      const { 'svc-source': _, ...rest } = target;
      return [path, rest];
    }),
  );
}

function pick(versions: Versions | undefined, names: readonly string[]): Versions | undefined {
  const found = Object.entries(versions ?? {}).filter(([name]) => names.includes(name));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}
