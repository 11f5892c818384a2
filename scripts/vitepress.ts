// The program that makes the site. It is not among the packages of the repository, because it needs an older Vite.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './workspaces.ts';

const FOLDER = join(ROOT, 'site');

/** The path of the program. */
export const VITEPRESS: string = join(FOLDER, 'node_modules/vitepress/bin/vitepress.js');

/** Whether the packages of the lockfile are installed. npm writes its own list last. */
export function isVitePressInstalled(): boolean {
  const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(
    (path) => statSync(join(FOLDER, path), { throwIfNoEntry: false })?.mtimeMs,
  );
  return installed !== undefined && installed >= (wanted ?? 0);
}

/** Installs the packages of `site/package-lock.json`. Returns false if this fails. */
export function installVitePress(): boolean {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0;
}
