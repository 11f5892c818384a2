// Checks which packages import each other, where each package runs, and which files open connections.
// `docs/architecture.md` explains the table; `npm run check` runs it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER_ORDER, findBackEdges } from './folder-order.ts';
import { findImportCycles } from './import-cycles.ts';
import { importedModules, isTestCode, type Source } from './structure-source.ts';
import { ROOT, readWorkspaces } from './workspaces.ts';

/** The rules of a package. `connects` lists the files that may open connections, or is `all`. */
export type Rule = {
  readonly imports: readonly string[];
  readonly runsIn: 'anywhere' | 'node' | 'browser';
  readonly connects: readonly string[] | 'all';
};

export const TABLE: Readonly<Record<string, Rule>> = {
  trace: { imports: [], runsIn: 'anywhere', connects: [] },
  symbols: { imports: ['trace'], runsIn: 'node', connects: [] },
  'game-build': { imports: [], runsIn: 'node', connects: [] },
  contracts: { imports: [], runsIn: 'anywhere', connects: [] },
  serve: {
    imports: ['contracts'],
    runsIn: 'node',
    connects: ['packages/serve/src/http-words.ts'],
  },
  observe: {
    imports: ['contracts/caught'],
    runsIn: 'node',
    // The listener of the metrics.
    connects: ['packages/observe/src/metrics/serve-metrics.ts'],
  },
  delivery: {
    imports: ['game-build', 'contracts/platform', 'contracts/errors'],
    runsIn: 'node',
    // The preview listens on 127.0.0.1.
    connects: ['packages/delivery/src/preview/start-preview.ts'],
  },
  collector: { imports: ['trace'], runsIn: 'browser', connects: [] },
  recorder: {
    imports: ['trace', 'collector'],
    runsIn: 'node',
    // Its library speaks to the browser that it starts, through a pipe.
    connects: [],
  },
  agent: {
    imports: [
      'trace',
      'contracts/agent',
      'contracts/caught',
      'contracts/errors',
      'contracts/faults',
      'serve',
    ],
    runsIn: 'node',
    // One file uses an abstract socket as a lock for a recording, and one file sends requests to the model provider.
    connects: [
      'packages/agent/src/storage/hold-recording.ts',
      'packages/agent/src/providers/ask-provider.ts',
    ],
  },
  viewer: {
    imports: ['trace', 'contracts/agent', 'contracts/caught', 'contracts/errors', 'look'],
    runsIn: 'browser',
    connects: 'all',
  },
  platform: {
    imports: [
      'game-build',
      'delivery',
      'contracts/platform',
      'contracts/caught',
      'contracts/errors',
      'contracts/faults',
      'observe',
      'serve',
    ],
    runsIn: 'node',
    connects: [
      'packages/platform/src/access/discover-keys.ts',
      'packages/platform/src/access/fetch-document.ts',
      'packages/platform/src/dev-provider/start-dev-provider.ts',
      'packages/platform/src/hook/ask-address.ts',
    ],
  },
  web: {
    imports: [
      'contracts/platform',
      'contracts/caught',
      'contracts/errors',
      'game-build/folder',
      'observe',
      'serve',
      'look',
    ],
    runsIn: 'node',
    connects: 'all',
  },
  look: { imports: [], runsIn: 'browser', connects: [] },
  cli: {
    imports: [
      'game-build',
      'delivery',
      'contracts',
      'serve/watch-starter',
      'symbols',
      'trace',
      'agent',
      'recorder',
    ],
    runsIn: 'node',
    connects: 'all',
  },
};

/** One message for each violation of the table. */
export function findBreaches(
  sources: readonly Source[],
  table: Readonly<Record<string, Rule>>,
): string[] {
  return sources.flatMap((source) => {
    const [, name = ''] = source.path.split('/');
    const rule = table[name];
    if (rule === undefined) return [`${source.path}: no rule for package "${name}"`];
    if (isTestCode(source.path)) return [];
    return [...importBreaches(name, rule, source), ...connectionBreaches(rule, source)];
  });
}

function importBreaches(name: string, rule: Rule, source: Source): string[] {
  return importedModules(source.text).flatMap((module) => {
    if (module.startsWith('node:') && rule.runsIn !== 'node') {
      return [`${source.path}: "${module}" in a package that runs in: ${rule.runsIn}`];
    }
    if (!module.startsWith('@svc/')) return [];
    const imported = module.slice('@svc/'.length);
    const allowed = rule.imports.some((one) => imported === one || imported.startsWith(`${one}/`));
    return allowed || imported === name
      ? []
      : [`${source.path}: ${name} must not import ${module}`];
  });
}

const CONNECTION =
  /\b(?:fetch\s*\(|XMLHttpRequest\b|new\s+(?:WebSocket|EventSource|WebTransport|RTCPeerConnection)\b|sendBeacon\b)|\b(?:from|import|require|getBuiltinModule)\s*\(?\s*['"](?:node:)?(?:http|https|http2|net|tls|dgram|dns|undici)['"]/;

function connectionBreaches(rule: Rule, source: Source): string[] {
  if (rule.connects === 'all' || rule.connects.includes(source.path)) return [];
  const code = source.text
    .replaceAll(/^import type .*$/gm, '')
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = CONNECTION.exec(code);
  return found === null
    ? []
    : [`${source.path}: may open a connection ("${found[0]}"), which its package's rules forbid`];
}

function missingReadmes(): string[] {
  return readWorkspaces()
    .map(({ folder }) => `${folder}/README.md`)
    .filter((path) => !existsSync(join(ROOT, path)))
    .map(
      (path) =>
        `${path}: missing; describe in ten lines what belongs into the package and what does not`,
    );
}

function findVagueNames(paths: readonly string[]): string[] {
  const drawer = /(^|\/)(utils?|helpers?|common|misc|shared|manager|impl)(\.|\/)/;
  const nested = /^packages\/[^/]+\/src\/.+\/index\.ts$/;
  return paths
    .filter((path) => drawer.test(path) || nested.test(path))
    .map((path) => `${path}: name the file after its content`);
}

if (import.meta.main) {
  const paths = globSync('packages/*/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist|\.types)(\/|$)/.test(path),
  }).filter((path) => !/\/(node_modules|dist|\.types)\//.test(path));
  const sources = paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  const product = sources.filter(({ path }) => !isTestCode(path));
  const breaches = [
    ...findBreaches(sources, TABLE),
    ...findBackEdges(product, FOLDER_ORDER),
    ...findImportCycles(product),
    ...missingReadmes(),
    ...findVagueNames(paths),
  ];
  for (const breach of breaches) console.error(breach);
  console.log(`structure: ${sources.length} files, ${breaches.length} breaches`);
  process.exitCode = breaches.length > 0 || sources.length === 0 ? 1 : 0;
}
