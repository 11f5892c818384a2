// The style sheet, icon and scripts of pages: read, named by content hash and compressed once, at the start.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { findSiteFiles } from './site-files.ts';

/** A file with its compressed forms. A form is null if it would not be smaller. */
export type Asset = {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
};

/** The scripts that a page can include. */
export type IslandName = 'game' | 'upload' | 'editor' | 'copy' | 'done' | 'profile';

export type Assets = {
  /** Path of the style sheet. */
  readonly styles: string;
  /** Path of the icon. */
  readonly icon: string;
  /** Path of an island's script; null if the islands were not built. */
  island(name: IslandName): string | null;
  /** The file at a path below /assets/; null if there is none. */
  find(path: string): Asset | null;
};

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the assets. */
export function readAssets(): Assets {
  const { sheets, icon: iconFile, islands: dist } = findSiteFiles();
  const files = new Map<string, Asset>();
  const add = (path: string, bytes: Buffer): string => {
    files.set(path, makeAsset(path, bytes));
    return path;
  };
  const addHashed = (name: string, extension: string, bytes: Buffer): string => {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    return add(`/assets/${name}-${hash}.${extension}`, bytes);
  };
  const styles = addHashed('web', 'css', Buffer.concat(sheets.map((path) => readFileSync(path))));
  const icon = addHashed('icon', 'svg', readFileSync(iconFile));
  for (const path of globSync('assets/*.js', { cwd: dist })) {
    add(`/${path.replaceAll('\\', '/')}`, readFileSync(join(dist, path)));
  }
  const islands = readManifest(join(dist, '.vite/manifest.json'));
  return {
    styles,
    icon,
    island: (name) => islands.get(name) ?? null,
    find: (path) => files.get(path) ?? null,
  };
}

/** Paths of the islands by name, from Vite's manifest. */
function readManifest(path: string): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  if (!existsSync(path)) return paths;
  const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof manifest !== 'object' || manifest === null) return paths;
  for (const entry of Object.values(manifest)) {
    if (entry?.isEntry === true) paths.set(String(entry.name), `/${entry.file}`);
  }
  return paths;
}

function makeAsset(path: string, plain: Buffer): Asset {
  const smaller = (packed: Buffer): Buffer | null => (packed.length < plain.length ? packed : null);
  return {
    type: TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    plain,
    br: smaller(zlib.brotliCompressSync(plain)),
    gzip: smaller(zlib.gzipSync(plain)),
  };
}
