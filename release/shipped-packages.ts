// Which packages of others are in the release: those whose code is bundled, and those that the browser parts depend on.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { ROOT } from '../scripts/workspaces.ts';

export type ShippedPackage = {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression in its package.json. */
  readonly license: string;
  readonly folder: string;
};

const MODULES = `${sep}node_modules${sep}`;

/** Returns the packages that contain the files, each once, by name and version. Files outside `node_modules` belong to none. */
export function packagesOf(files: Iterable<string>): ShippedPackage[] {
  const folders = new Set<string>();
  for (const file of files) {
    const at = file.lastIndexOf(MODULES);
    if (at === -1) continue;
    const inside = file.slice(at + MODULES.length).split(sep);
    const name = inside.slice(0, inside[0]?.startsWith('@') === true ? 2 : 1);
    folders.add(join(file.slice(0, at + MODULES.length), ...name));
  }
  return byName([...folders].map(readPackage));
}

/** Returns the packages that a workspace depends on when it runs, directly or indirectly, without its fellow workspaces. */
export function dependenciesOf(workspace: string): ShippedPackage[] {
  const found = new Map<string, ShippedPackage>();
  const follow = (folder: string): void => {
    const { dependencies = {} } = readManifest(folder);
    for (const name of Object.keys(dependencies)) {
      const one = readPackage(findPackage(name, folder));
      if (found.has(one.folder)) continue;
      found.set(one.folder, one);
      follow(one.folder);
    }
  };
  follow(join(ROOT, workspace));
  return byName([...found.values()].filter(({ name }) => !name.startsWith('@svc/')));
}

/** Returns an installed package by its name. */
export function installedPackage(name: string): ShippedPackage {
  return readPackage(findPackage(name, ROOT));
}

/** A package as the lockfile and the bill of materials name it. */
export function referenceTo({ name, version }: Pick<ShippedPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** Returns the packages of several lists, each once. */
export function union(...lists: readonly (readonly ShippedPackage[])[]): ShippedPackage[] {
  return byName([...new Map(lists.flat().map((one) => [referenceTo(one), one])).values()]);
}

function byName(packages: readonly ShippedPackage[]): ShippedPackage[] {
  return packages.toSorted((a, b) => (referenceTo(a) < referenceTo(b) ? -1 : 1));
}

function findPackage(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(candidate)) return realpathSync(candidate);
    if (folder === dirname(folder))
      throw new Error(`Cannot find the package "${name}" from ${from}`);
  }
}

type PackageManifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
};

function readManifest(folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function readPackage(folder: string): ShippedPackage {
  const { name, version, license } = readManifest(folder);
  if (typeof license !== 'string') throw new Error(`${name} ${version} states no licence`);
  return { name, version, license, folder };
}

const NOTICE_FILE = /^(?:licen[cs]e|copying|notice|third[-_]party[-_]\w+)(?:[.-].*)?$/i;

/** Returns the licence of a package and all notices that it must be shipped with. */
function noticeOf(one: ShippedPackage): string {
  const names = readdirSync(one.folder).toSorted();
  const read = (name: string): string =>
    readFileSync(join(one.folder, name), 'utf8').replaceAll('\r\n', '\n').trim();
  const files = names.filter((name) => NOTICE_FILE.test(name));
  if (files.length > 0) return files.map(read).join('\n\n');
  const readme = names.find((name) => /^readme\.md$/i.test(name));
  // Some packages have the text of their licence only in the last part of their README.
  const part = readme === undefined ? null : /^#+ Licen[cs]e\n[\s\S]*/im.exec(read(readme));
  return part?.[0] ?? `Licence: ${one.license}`;
}

/** Returns the text of THIRD-PARTY-NOTICES.txt. Packages with the same text share it. */
export function noticesOf(packages: readonly ShippedPackage[]): string {
  const texts = new Map<string, string[]>();
  for (const one of packages) {
    const text = noticeOf(one);
    const names = texts.get(text) ?? [];
    texts.set(text, [...names, `${one.name} ${one.version} (${one.license})`]);
  }
  const parts = [...texts].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  const line = `\n${'-'.repeat(72)}\n\n`;
  return ['This software contains the following software of others.\n', ...parts].join(line);
}
