// `npm run build:viewer [-- --out DIR]`: builds the viewer without an agent, as one HTML file and as a static site.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { SiteFile } from '../src/offline/site-cache.ts';
import { type Bundle, bundle, PACKAGE } from './bundle.ts';
import { integrityOf, writeInline, writePage } from './write-page.ts';

/** The names of what is built. */
export const FILE = 'svc-viewer.html';
export const SITE = 'svc-viewer';

const WORKER = 'service-worker.js';
const ICON = readFileSync(join(PACKAGE, 'src/icon.svg'));

/** A file of the build, with its path relative to the output folder. */
export type BuiltFile = { readonly path: string; readonly bytes: number };

/**
 * Builds both into a folder, which is created if needed. An earlier build there is replaced. Throws if the folder of
 * the site contains other files.
 */
export async function buildStandalone(folder: string): Promise<BuiltFile[]> {
  const site = join(folder, SITE);
  if (existsSync(site) && readdirSync(site).length > 0 && !existsSync(join(site, WORKER))) {
    throw new Error(`${site} contains files of something else. Choose another folder with --out.`);
  }
  const constants = await engineCode();
  const file = await buildFile(constants);
  const files = await writeSite(await bundle('standalone-site.ts', constants));
  rmSync(site, { recursive: true, force: true });
  return Object.entries({ [FILE]: file, ...files }).map(([path, content]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    return { path, bytes: Buffer.byteLength(content) };
  });
}

/** The constants of both pages. */
async function engineCode(): Promise<{ readonly ENGINE_CODE: string }> {
  return { ENGINE_CODE: (await bundle('engine/standalone-engine.ts')).code };
}

/** Returns the viewer as one file, which needs no other. */
export async function buildFile(constants?: { readonly ENGINE_CODE: string }): Promise<string> {
  const { code, css }: Bundle = await bundle(
    'standalone-file.ts',
    constants ?? (await engineCode()),
  );
  const script = writeInline('script', code);
  const style = writeInline('style', css);
  return writePage({
    policy: [
      `script-src ${script.source}`,
      `style-src ${style.source}`,
      'img-src data:',
      'worker-src blob:',
    ],
    head: [
      `<link rel="icon" href="data:image/svg+xml;base64,${ICON.toString('base64')}">`,
      style.html,
    ],
    body: [script.html],
  });
}

type Files = Readonly<Record<string, string | Buffer>>;

/** The viewer as a site. All addresses are relative, so that it works under any path. */
async function writeSite({ code, css }: Bundle): Promise<Files> {
  const assets: Files = {
    [hashed('viewer', 'js', code)]: code,
    [hashed('viewer', 'css', css)]: css,
    [hashed('icon', 'svg', ICON)]: ICON,
  };
  const [script = '', style = '', icon = ''] = Object.keys(assets);
  const page = writePage({
    policy: [
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self' blob:",
    ],
    head: [
      `<link rel="icon" href="./${icon}" type="image/svg+xml">`,
      '<link rel="manifest" href="./manifest.webmanifest">',
      `<link rel="stylesheet" href="./${style}" integrity="${integrityOf(css)}">`,
      `<script defer src="./${script}" integrity="${integrityOf(code)}"></script>`,
    ],
    body: [],
  });
  const files: Files = { '': page, ...assets, 'manifest.webmanifest': writeManifest(icon) };
  const worker = await bundle('offline/service-worker.ts', { SITE: versionOf(files) });
  const all = Object.entries({ ...files, [WORKER]: worker.code });
  return Object.fromEntries(
    all.map(([path, content]) => [`${SITE}/${path === '' ? 'index.html' : path}`, content]),
  );
}

function hashed(name: string, extension: string, content: string | Buffer): string {
  const hash = Buffer.from(integrityOf(content).slice('sha256-'.length), 'base64').toString('hex');
  return `assets/${name}-${hash.slice(0, 10)}.${extension}`;
}

function versionOf(files: Files): { version: string; files: SiteFile[] } {
  const listed = Object.entries(files).map(([path, content]) => {
    return { path, integrity: integrityOf(content) };
  });
  return { version: integrityOf(JSON.stringify(listed)), files: listed };
}

function writeManifest(icon: string): string {
  const manifest = {
    id: './',
    name: 'svc viewer',
    short_name: 'svc viewer',
    description: 'Shows why a game hitches, from a recording on this computer',
    start_url: './',
    scope: './',
    display: 'standalone',
    background_color: '#f4f5f3',
    theme_color: '#07607e',
    icons: [{ src: `./${icon}`, sizes: 'any', type: 'image/svg+xml' }],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

async function main(): Promise<void> {
  // npm runs scripts in the folder of the repository. A relative folder is meant from where the user is.
  const from = process.env['INIT_CWD'] ?? process.cwd();
  const fallback = join(PACKAGE, '../../dist/viewer');
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  const folder = values.out === undefined ? fallback : resolve(from, values.out);
  for (const { path, bytes } of await buildStandalone(folder)) {
    console.log(
      `${`${(bytes / 1024).toFixed(1)} KiB`.padStart(10)}  ${relative(from, join(folder, path))}`,
    );
  }
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
