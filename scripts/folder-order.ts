// The order of the folders inside each package, from bottom to top, and the imports that break it.
import { posix } from 'node:path';
import { importedModules, type Source } from './structure-source.ts';

/**
 * The folders and files below a package's `src`, from bottom to top. A file may import from its own folder and from
 * those listed before it, types included. Folders in one row are side by side: none of them imports another.
 * A file belongs to the entry with the longest matching name, so a sub-folder can have its own entry. `.` is the entry
 * of the files directly in `src` that match no other entry.
 */
export type FolderOrder = readonly (string | readonly string[])[];

export const FOLDER_ORDER: Readonly<Record<string, FolderOrder>> = {
  cli: [
    'process',
    'project',
    'trace-documents.ts',
    'documents.ts',
    'output',
    'command-line',
    'network',
    ['agent', 'platform'],
    'trace',
    ['start-test', 'mcp/limits.ts'],
    ['mcp/fit-answer.ts', 'mcp/traces'],
    'mcp/tools',
    'mcp',
    ['commands/dashboard', 'commands/publishing'],
    [
      'commands/account',
      'commands/completion',
      'commands/key',
      'commands/mcp',
      'commands/play',
      'commands/probes',
      'commands/preview',
      'commands/record',
      'commands/token',
      'commands/trace',
      'commands/trust',
      'commands/update',
    ],
    'commands.ts',
    'run.ts',
    'main.ts',
  ],
  agent: [
    ['failure.ts', 'handle-route.ts', 'producer.ts', 'start-error.ts'],
    ['access', 'work'],
    ['keyring', 'storage', 'target'],
    ['follow', 'machine', 'probes'],
    ['probes/files', 'probes/frames', 'probes/stacks'],
    'probes/offer-probes.ts',
    ['capture', 'providers'],
    'trace',
    ['analysis', 'live', 'page', 'report', 'session'],
    '.',
  ],
  contracts: [
    ['errors.ts', 'exit-codes.ts', 'route.ts'],
    'client.ts',
    'faults',
    ['agent', 'platform'],
    '.',
  ],
  'game-build': [
    ['byte-source.ts', 'compare-paths.ts', 'findings.ts', 'limits.ts', 'loads'],
    'digest.ts',
    'build.ts',
    'names',
    'read',
    'judge',
    'read-archive.ts',
    'describe',
    ['extract', 'pack'],
    ['check-build.ts', 'folder.ts', 'read-folder.ts'],
    'index.ts',
  ],
  recorder: [
    ['record-error.ts', 'page/messages.ts', 'files'],
    ['browser', 'input'],
    'page',
    ['functions', 'game', 'start'],
    '.',
    'index.ts',
  ],
  observe: ['log', 'settings.ts', 'tracing', 'requests', 'metrics', '.', 'index.ts'],
  delivery: ['http', 'game', 'index.ts', 'preview'],
  trace: [
    'format',
    ['bytes', 'times'],
    ['vpt', 'stacks'],
    ['folded', 'profiles', 'notes'],
    'frame-logs',
    ['symbolicate', 'model'],
    'derive/frames',
    'derive/facts',
    ['derive/assets', 'derive/bounds', 'derive/functions', 'derive/leaks'],
    ['derive/compare', 'derive/moments'],
    'derive/overview',
    'analyze/findings',
    'analyze/rules',
    'analyze',
    ['testing', '.'],
  ],
  symbols: [
    ['limits.ts', 'symbol-fault.ts', 'symbol-files.ts'],
    ['maps', 'wasm', 'files'],
    'find',
    'open-symbols.ts',
    'index.ts',
  ],
  collector: [
    'api.ts',
    'sink',
    'hooks',
    'assets',
    'gpu',
    ['functions', 'page', 'loads', 'webgl', 'webgpu'],
    'recording',
    '.',
    ['adapters', 'overlay'],
    'global.ts',
  ],
  platform: [
    ['failure.ts', 'one-at-a-time.ts', 'blocked-words.ts', 'metrics'],
    ['database', 'files', 'dev-provider'],
    'hook',
    ['http', 'rates'],
    'access',
    'stats/count',
    'platform.ts',
    'handle-route.ts',
    'stats',
    'storage',
    'trust',
    'notices',
    ['accounts', 'tokens', 'projects'],
    'mail',
    'previews',
    ['publishing', 'media', 'play'],
    'uploads',
    'check',
    'backup',
    ['catalog', 'admin'],
    ['reports', 'export'],
    'greet-requests.ts',
    'register',
    'start',
    'commands',
    '.',
  ],
  web: [
    ['html', 'assets', 'api', 'database', 'failure.ts'],
    'session',
    'visit',
    'page',
    'errors',
    'routes',
    'games',
    'dashboard/forms',
    ['store', 'dashboard', 'islands'],
    'admin',
    '.',
  ],
  viewer: [
    'format',
    'draw',
    'client',
    'state',
    'traces',
    'notes',
    ['controls', 'offline'],
    ['views/stacks/layout', 'views/stacks/derive', 'views/timeline/timeline-data.ts'],
    ['views/stacks/draw', 'views/timeline/layout'],
    ['views/stacks', 'views/timeline/draw', 'views/assets', 'views/bounds'],
    'views/timeline',
    ['views/analysis', 'views/moment', 'views/notes'],
    ['views/frames', 'views/memory', 'views/overview'],
    'views/compare',
    'engine',
    'shell/session',
    'shell/open',
    'shell/commands',
    'shell',
    '.',
  ],
};

type Place = { readonly name: string; readonly level: number };

/** One message for each import that goes up or aside, and for each file without an entry. */
export function findBackEdges(
  sources: readonly Source[],
  orders: Readonly<Record<string, FolderOrder>>,
): string[] {
  return sources.flatMap(({ path, text }) => {
    const [, name = '', src] = path.split('/');
    const order = orders[name];
    if (order === undefined || src !== 'src') return [];
    const root = `packages/${name}/src`;
    const from = placeOf(posix.relative(root, path), order);
    if (from === null) return [`${path}: its folder has no entry in scripts/folder-order.ts`];
    return importedModules(text).flatMap((module) => {
      if (!module.startsWith('.')) return [];
      const target = posix.join(posix.dirname(path), module);
      if (!target.startsWith(`${root}/`)) return [];
      const to = placeOf(posix.relative(root, target), order);
      if (to === null || to.name === from.name || to.level < from.level) return [];
      const side = to.level === from.level ? 'beside' : 'above';
      return [`${path}: imports ${module}, but ${to.name} is ${side} ${from.name}`];
    });
  });
}

/** The entry that a file belongs to, and its level; null if there is none. */
function placeOf(file: string, order: FolderOrder): Place | null {
  const places = order.flatMap((row, level) => [row].flat().map((name) => ({ name, level })));
  const fits = places.filter(
    ({ name }) =>
      file === name || file.startsWith(`${name}/`) || (name === '.' && !file.includes('/')),
  );
  return fits.toSorted((a, b) => b.name.length - a.name.length)[0] ?? null;
}
