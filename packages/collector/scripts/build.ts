// Makes dist/: the ES modules (core, overlay, spool, adapters) over shared chunks, one script with a global, and the
// types that the public entries reach. Which entries there are stands in package.json alone: each export's `svc-source`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'rolldown';

const PACKAGE = join(import.meta.dirname, '..');
const DIST = join(PACKAGE, 'dist');
const ENTRIES = readEntries();
const TARGET = { transform: { target: 'es2022' } };

async function main(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  await build({
    cwd: PACKAGE,
    input: ENTRIES,
    ...TARGET,
    output: { dir: DIST, format: 'esm', minify: true, chunkFileNames: 'shared-[hash].js' },
  });
  await build({
    cwd: PACKAGE,
    input: 'src/global.ts',
    ...TARGET,
    output: { file: join(DIST, 'collector.global.js'), format: 'iife', name: 'svc', minify: true },
  });
  writeTypes();
}

/** Name of each module in dist → its source. */
function readEntries(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  const entries: Record<string, string> = {};
  for (const target of Object.values<Record<string, string>>(exports)) {
    const source = target['svc-source'];
    const made = target['default'];
    if (source !== undefined && made !== undefined)
      entries[basename(made, '.js')] = source.slice(2);
  }
  return entries;
}

/** Types of the entries and of what they reach, with `.js` in their import paths. */
function writeTypes(): void {
  const made = join(PACKAGE, '.types/src');
  const { status, stdout } = spawnSync('tsc', ['-b', PACKAGE], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Cannot write the types:\n${stdout}`);
  const todo = Object.values(ENTRIES).map((path) =>
    path.replace('src/', '').replace('.ts', '.d.ts'),
  );
  const done = new Set<string>();
  for (const path of todo) {
    if (done.has(path)) continue;
    done.add(path);
    const text = readFileSync(join(made, path), 'utf8');
    for (const [, next = ''] of text.matchAll(/(?:from|import)\s*\(?\s*"?'?(\.[^'"]+)\.ts['"]/g)) {
      todo.push(join(dirname(path), `${next}.d.ts`));
    }
    const foreign = /from ['"](@svc\/[^'"]+)['"]/.exec(text)?.[1];
    if (foreign !== undefined)
      throw new Error(`Cannot publish the types: ${path} needs ${foreign}`);
    mkdirSync(dirname(join(DIST, path)), { recursive: true });
    writeFileSync(join(DIST, path), text.replaceAll(/(['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2'));
  }
}

await main();
