// `npm run site [-- --out DIR --base PATH]`: makes the site, which any server of static files can serve.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { emptyFolder } from '../release/temporary-folder.ts';
import { onEnding } from '../scripts/on-ending.ts';
import { installVitePress, isVitePressInstalled, VITEPRESS } from '../scripts/vitepress.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { makePages, type Site } from './make-pages.ts';
import { sidebarsOf } from './sidebar.ts';

const FOLDER = import.meta.dirname;
/** An empty file in every site that this program makes. */
const MARK = '.svc-site';
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export type SiteOptions = {
  /** The folder for the site. It must be absent, empty, or contain an earlier site, which is replaced. */
  readonly out: string;
  /** The path of the address at which the site is served. Starts and ends with `/`. */
  readonly base: string;
};

/** Makes the site, of all pages unless others are given. If it fails, the folder is as before. VitePress must be installed. */
export async function buildSite({ out, base }: SiteOptions, site?: Site): Promise<void> {
  requireReplaceable(out);
  if (!/^\/(?:[\w.~-]+\/)*$/.test(base)) {
    throw new Error(`--base must be a path such as /guides/, not ${base}`);
  }
  // Inside of this folder, so that VitePress is found.
  using work = emptyFolder(join(FOLDER, `.work-${process.pid}`));
  writeSources(work.path, site ?? (await makePages()));
  using unfinished = emptyFolder(`${out}.unfinished-${process.pid}`);
  await runVitePress('build', work.path, '--outDir', unfinished.path, '--base', base);
  writeFileSync(join(unfinished.path, MARK), '');
  replaceFolder(existsSync(out) ? realpathSync(out) : out, unfinished.path);
}

/** Throws if the folder contains anything that is not of an earlier site, such as a checkout of a branch with the site. */
export function requireReplaceable(out: string): void {
  if (!existsSync(out)) return;
  if (!statSync(out).isDirectory()) throw new Error(`${out} is no folder.`);
  const names = readdirSync(out);
  const hidden = names.find((name) => name.startsWith('.') && name !== MARK);
  const what = hidden === undefined ? 'files that are no earlier site' : hidden;
  if (names.length === 0 || (names.includes(MARK) && hidden === undefined)) return;
  throw new Error(`${out} contains ${what}. Choose another folder with --out.`);
}

/** Puts a folder in the place of another one. If it fails, the other one is as before. */
function replaceFolder(out: string, made: string): void {
  const aside = `${out}.old-${process.pid}`;
  if (existsSync(out)) renameSync(out, aside);
  try {
    renameSync(made, out);
  } catch (error) {
    if (existsSync(aside)) renameSync(aside, out);
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** Runs VitePress. It ends with this process, before the temporary folders are removed. Throws what it reports if it fails. */
async function runVitePress(...args: readonly string[]): Promise<void> {
  const running = promisify(execFile)(process.execPath, [VITEPRESS, ...args], {
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const stop = (): boolean => running.child.kill('SIGKILL');
  process.prependListener('exit', stop);
  try {
    await running;
  } catch (error) {
    throw new Error(`VitePress failed. ${Object(error).stderr}`, { cause: error });
  } finally {
    process.off('exit', stop);
  }
}

/** Writes what VitePress reads: the pages with their images, the files to download, the settings and the theme. */
function writeSources(folder: string, { pages, images, downloads }: Site): void {
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const path of images) cpSync(join(ROOT, path), join(folder, path));
  for (const [place, path] of downloads) cpSync(join(ROOT, path), join(folder, 'public', place));
  const settings = join(folder, '.vitepress');
  cpSync(join(FOLDER, 'vitepress'), settings, { recursive: true });
  cpSync(join(ROOT, 'packages/look/src/tokens.css'), join(settings, 'theme/tokens.css'));
  writeFileSync(join(settings, 'sidebar.json'), JSON.stringify(sidebarsOf(pages)));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      base: { type: 'string', default: '/' },
    },
  });
  // npm runs scripts in the folder of the repository. A relative folder is meant from where the user is.
  const from = process.env['INIT_CWD'] ?? process.cwd();
  const out = values.out === undefined ? join(FOLDER, 'dist') : resolve(from, values.out);
  if (!isVitePressInstalled()) {
    console.log('Installing VitePress into site/node_modules …');
    if (!installVitePress()) throw new Error('Cannot install VitePress. Run npm ci in site.');
  }
  await buildSite({ out, base: values.base });
  console.log(`The site is in ${out}. Serve it at ${values.base}`);
}

if (import.meta.main) {
  onEnding((signal) => process.exit(128 + (constants.signals[signal] ?? 0)));
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
