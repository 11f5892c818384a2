// The one version of all packages, and the files that contain it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readWorkspaces } from './workspaces.ts';

/** The version in the package.json of the repository. */
export function readVersion(root: string = ROOT): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** The version of the collector is in its code, because its package.json is not in its bundle. */
const COLLECTOR = 'packages/collector/src/recording/version.ts';

/** The version of svc that jobs of a CI install. */
const INTEGRATIONS = ['integrations/github/action.yml', 'integrations/gitlab/templates/svc.yml'];

/** The files with the version, below the repository. */
export const VERSION_FILES: readonly string[] = [
  'package.json',
  'package-lock.json',
  ...readWorkspaces().map(({ folder }) => `${folder}/package.json`),
  COLLECTOR,
  'docs/contracts/agent.openapi.json',
  ...INTEGRATIONS,
];

/** Returns the text of a file with another version of svc. The versions of other packages stay. Throws if it has none. */
export function withVersion(path: string, text: string, from: string, to: string): string {
  const changed = change(path, text, from, to);
  if (changed === text) throw new Error(`${path} does not have the version ${from}.`);
  return changed;
}

function change(path: string, text: string, from: string, to: string): string {
  if (path === COLLECTOR) return text.replace(`'${from}'`, `'${to}'`);
  if (INTEGRATIONS.includes(path)) return text.replace(`default: ${from}\n`, `default: ${to}\n`);
  return path.endsWith('package-lock.json')
    ? inLockfile(text, from, to)
    : inManifest(text, from, to);
}

function inManifest(text: string, from: string, to: string): string {
  return text
    .replace(`"version": "${from}"`, `"version": "${to}"`)
    .replaceAll(/("@svc\/[\w-]+": )"([^"]+)"/g, (whole, key: string, version: string) =>
      version === from ? `${key}"${to}"` : whole,
    );
}

/** Packages of the repository are at a path of their own, and not in node_modules. */
function inLockfile(text: string, from: string, to: string): string {
  const lock = JSON.parse(text);
  lock.version = to;
  for (const [path, entry] of Object.entries<{ version?: string }>(lock.packages)) {
    if (path.startsWith('node_modules/') || path.includes('/node_modules/')) continue;
    if (entry.version === from) entry.version = to;
    for (const versions of Object.values(entry)) {
      if (typeof versions === 'object') setOwn(versions as Record<string, string>, from, to);
    }
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function setOwn(versions: Record<string, string>, from: string, to: string): void {
  for (const [name, version] of Object.entries(versions)) {
    if (name.startsWith('@svc/') && version === from) versions[name] = to;
  }
}
