// Packages as package-lock.json names them: from node_modules if they are installed, and from the registry otherwise.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import { ROOT } from '../scripts/workspaces.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Locked = {
  readonly version: string;
  readonly integrity: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** A system as the fields `os`, `cpu` and `libc` of packages name it. */
export type System = { readonly os: string; readonly cpu: string; readonly libc?: string };

/** Returns the entry of a package in the lockfile. Throws if there is none. */
export function lockedPackage(name: string): Locked {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const found: Locked | undefined = packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`Not in package-lock.json: ${name}`);
  return found;
}

/** Returns the names of a package and of all packages that npm installs with it on the system. */
export function installedWith(name: string, system: System): string[] {
  const reached = new Set([name]);
  for (const one of reached) {
    const { dependencies = {}, optionalDependencies = {} } = lockedPackage(one);
    for (const next of Object.keys(dependencies)) reached.add(next);
    for (const next of Object.keys(optionalDependencies)) {
      if (runsOn(lockedPackage(next), system)) reached.add(next);
    }
  }
  return [...reached].sort();
}

function runsOn({ os, cpu, libc }: Locked, system: System): boolean {
  const fits = (allowed: readonly string[] | undefined, value: string | undefined): boolean =>
    allowed === undefined || (value !== undefined && allowed.includes(value));
  return fits(os, system.os) && fits(cpu, system.cpu) && fits(libc, system.libc);
}

/**
 * Runs `use` with the folder of a package, which is downloaded for this if it is not installed. Throws if the registry's archive is not
 * the one that the lockfile names.
 */
export async function withPackage<Result>(
  name: string,
  use: (folder: string) => Result,
): Promise<Result> {
  const { version, integrity } = lockedPackage(name);
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(installed)) {
    const found: string = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version;
    if (found !== version) {
      throw new Error(`${name} ${found} is installed, not ${version}. Run npm ci.`);
    }
    return use(installed);
  }
  using work = temporaryFolder();
  const folder = work.path;
  const file = join(folder, download(`${name}@${version}`, folder));
  const sum = createHash('sha512').update(readFileSync(file)).digest('base64');
  if (integrity !== `sha512-${sum}`) {
    throw new Error(`${name} ${version} from the registry is not the one in package-lock.json`);
  }
  await extract({ file, cwd: folder, strip: 1 });
  rmSync(file);
  return use(folder);
}

/** Returns the name of the archive. */
function download(reference: string, folder: string): string {
  const args = ['pack', '--silent', '--prefer-offline', reference];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`Cannot download ${reference}:\n${stderr}`);
  return stdout.trim();
}
