// Installs svc as users do: packed, and into a folder of its own.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { extract } from 'tar';
import { packProduct } from '../release/pack-product.ts';
import { CLI } from '../release/products.ts';
import { release } from '../release/release.ts';
import { TARGETS } from '../release/single-file/targets.ts';
import { buildBrowserCode } from '../scripts/build-browser.ts';

/** Installs svc below the folder. Returns the file that Node starts. */
export async function installSvc(folder: string): Promise<string> {
  buildBrowserCode();
  const file = await packProduct(CLI, folder, new Date());
  npm(['install', '--offline', '--global', '--prefix', join(folder, 'prefix'), file], folder);
  return join(folder, 'prefix/lib/node_modules/@svc/cli/bin/svc.mjs');
}

/** Makes the single executable for this system below the folder. Returns its path. */
export async function installExecutable(folder: string): Promise<string> {
  const targets = TARGETS.filter(({ name }) => name === `${process.platform}-${process.arch}`);
  const out = join(folder, 'release');
  const names = await release({ out, time: new Date(), commit: null, targets });
  const archive = names.find(
    (name) =>
      name.startsWith('svc-') &&
      !name.startsWith('svc-server') &&
      name.endsWith(`${process.arch}.tar.gz`),
  );
  if (archive === undefined) throw new Error('Executables are measured on Linux only');
  await extract({ file: join(out, archive), cwd: out });
  return join(out, 'svc');
}

function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
