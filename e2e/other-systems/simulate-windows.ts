// Loaded into a process with `--import`, which then sees the path rules of Windows on this machine's files: the path functions of Windows,
// files below `C:\`, named pipes. The programs of Node that it starts see them, too. It shows faults of paths, and nothing that only
// Windows itself does, such as files that cannot be removed while they are open.
import { registerHooks } from 'node:module';
import os from 'node:os';
import { win32 } from 'node:path';
import url, { fileURLToPath } from 'node:url';
import { filePromises, files } from './windows-files.ts';
import { toHostPath, toWindowsPath } from './windows-paths.ts';
import { pipes, programsWith } from './windows-programs.ts';

export type Exports = Record<string, unknown>;
export type Call = (...given: unknown[]) => unknown;

const resolve = (...paths: string[]): string =>
  win32.resolve(toWindowsPath(process.cwd()), ...paths);

const MODULES: Readonly<Record<string, Exports>> = {
  path: {
    ...win32,
    resolve,
    relative: (from: string, to: string) => win32.relative(resolve(from), resolve(to)),
  },
  fs: files,
  'fs/promises': filePromises,
  os: {
    ...os,
    tmpdir: () => toWindowsPath(os.tmpdir()),
    homedir: () => toWindowsPath(os.homedir()),
  },
  url: {
    ...url,
    fileURLToPath: (given: string | URL) => toWindowsPath(fileURLToPath(given)),
    pathToFileURL: (path: string) => url.pathToFileURL(toHostPath(path)),
  },
  child_process: programsWith([
    '--disable-warning=ExperimentalWarning',
    '--import',
    import.meta.url,
  ]),
  net: pipes,
};

/** Paths that Node itself gives to a module. */
const OWN_PATHS = /import\.meta\.(?:dirname|filename)|process\.cwd\(\)/g;

registerHooks({
  resolve(specifier, context, next) {
    const name = specifier.replace(/^node:/, '');
    if (!Object.hasOwn(MODULES, name)) return next(specifier, context);
    return { url: `windows:${name}`, format: 'module', shortCircuit: true };
  },
  load(address, context, next) {
    if (address.startsWith('windows:')) return moduleOf(address.slice('windows:'.length));
    const loaded = next(address, context);
    if (address.includes('/node_modules/') || loaded.source === undefined) return loaded;
    return {
      ...loaded,
      source: String(loaded.source).replaceAll(OWN_PATHS, 'globalThis.windowsPath($&)'),
    };
  },
});

Object.assign(globalThis, { windowsPath: toWindowsPath, windowsModules: MODULES });
Object.defineProperty(process, 'platform', { value: 'win32' });

/** A module that exports one of {@link MODULES}. */
function moduleOf(name: string) {
  const names = Object.keys(MODULES[name] ?? {}).filter((key) => key !== 'default');
  const source = `const own = globalThis.windowsModules[${JSON.stringify(name)}];
export default own;
export const { ${names.join(', ')} } = own;`;
  return { format: 'module' as const, source, shortCircuit: true };
}
