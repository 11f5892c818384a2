// What each package of the release contains.
import { cpSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadAllCommands, type Summary } from '../packages/cli/src/commands.ts';
import { findSiteFiles, SITE_FOLDER } from '../packages/web/src/assets/site-files.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { bundleProgram } from './bundle.ts';
import { dependenciesOf, packagesOf, type ShippedPackage, union } from './shipped-packages.ts';

/** A package for npm. */
export type Product = {
  /** The folder of the workspace. */
  readonly workspace: string;
  /** Its start file in `bin/`, if it is a program. */
  readonly start: string | null;
  /** Packages that are installed beside it, because they contain native code. They must be in the manifest of the workspace. */
  readonly installed: readonly string[];
  readonly keywords: readonly string[];
  /** The picture of its README, in `docs/images/`. */
  readonly picture: string;
  /** Writes the files of the package, except its manifest, start file and texts. Returns the packages of others whose code is in them. */
  readonly write: (folder: string) => Promise<readonly ShippedPackage[]>;
};

/** Optional native parts of ws and pg, which work without them, and an optional reader of puppeteer that is not used. */
const LEFT_OUT = ['bufferutil', 'utf-8-validate', 'pg-native', 'yauzl'];

export const CLI: Product = {
  workspace: 'packages/cli',
  picture: 'overview.webp',
  start: 'svc.mjs',
  installed: ['@napi-rs/keyring'],
  keywords: ['game', 'profiler', 'performance', 'frame-time', 'publish'],
  async write(folder) {
    const dist = join(folder, 'dist');
    const bundled = await bundleProgram({
      input: {
        main: inRoot('packages/cli/src/main.ts'),
        'agent-worker': inRoot('packages/agent/src/worker.ts'),
      },
      folder: dist,
      external: [...LEFT_OUT, ...CLI.installed],
      define: {
        INJECTED_CODE: JSON.stringify(injectedCode()),
        COMMAND_SUMMARIES: JSON.stringify(await commandSummaries()),
      },
      minify: true,
    });
    cpSync(inRoot('packages/viewer/dist'), join(dist, 'viewer'), { recursive: true });
    cpSync(inRoot('packages/viewer/standalone/svc-viewer.html'), join(dist, 'svc-viewer.html'));
    cpSync(inRoot('packages/agent/probe-programs'), join(dist, 'probe-programs'), {
      recursive: true,
    });
    cpSync(inRoot('packages/cli/schemas'), join(folder, 'schemas'), { recursive: true });
    return union(packagesOf(bundled), dependenciesOf('packages/viewer'));
  },
};

export const COLLECTOR: Product = {
  workspace: 'packages/collector',
  picture: 'overview.webp',
  start: null,
  installed: [],
  keywords: ['game', 'profiler', 'performance', 'frame-time', 'webgl', 'webgpu'],
  async write(folder) {
    cpSync(inRoot('packages/collector/dist'), join(folder, 'dist'), { recursive: true });
    return [];
  },
};

export const PLATFORM: Product = {
  workspace: 'packages/platform',
  picture: 'architecture.svg',
  start: 'svc-platform.mjs',
  installed: ['sharp'],
  keywords: ['game', 'publishing', 'server', 'self-hosted'],
  async write(folder) {
    return packagesOf(
      await bundleProgram({
        input: { main: inRoot('packages/platform/src/main.ts') },
        folder: join(folder, 'dist'),
        external: [...LEFT_OUT, ...PLATFORM.installed],
        minify: false,
      }),
    );
  },
};

export const WEB: Product = {
  workspace: 'packages/web',
  picture: 'game-page.webp',
  start: 'svc-web.mjs',
  installed: [],
  keywords: ['game', 'store', 'server', 'self-hosted'],
  async write(folder) {
    const dist = join(folder, 'dist');
    const bundled = await bundleProgram({
      input: { main: inRoot('packages/web/src/main.ts') },
      folder: dist,
      external: LEFT_OUT,
      minify: false,
    });
    const { sheets, icon, islands } = findSiteFiles();
    for (const file of [...sheets, icon]) cpSync(file, join(dist, SITE_FOLDER, basename(file)));
    cpSync(islands, join(dist, SITE_FOLDER, 'islands'), { recursive: true });
    return union(packagesOf(bundled), dependenciesOf('packages/web'));
  },
};

export const PRODUCTS: readonly Product[] = [CLI, COLLECTOR, PLATFORM, WEB];

async function commandSummaries(): Promise<readonly Summary[]> {
  return (await loadAllCommands()).map(({ name, summary }) => ({ name, summary }));
}

/** The collector that `svc record` puts into pages. */
function injectedCode(): string {
  return readFileSync(inRoot('packages/recorder/dist/injected.js'), 'utf8');
}

function inRoot(path: string): string {
  return join(ROOT, path);
}
