// Installs svc as users do: packed, and into a folder of its own.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/workspaces.ts';

/** Installs svc below the folder. Returns the file that Node starts. */
export function installSvc(folder: string): string {
  npm(['pack', '--pack-destination', folder], join(ROOT, 'packages/cli'));
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8'),
  );
  const archive = join(folder, `svc-cli-${version}.tgz`);
  npm(['install', '--offline', '--global', '--prefix', join(folder, 'prefix'), archive], folder);
  return join(folder, 'prefix/lib/node_modules/@svc/cli/bin/svc.mjs');
}

function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
