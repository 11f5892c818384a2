// Writes the archive with both servers and the Node that runs them, for Linux without Node and npm.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readVersion } from '../../scripts/version.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { filesIn, writeArchive } from '../archive.ts';
import { DESCRIPTION } from '../description.ts';
import { serverManPage } from '../linux/man-page.ts';
import { SERVER_MANUALS } from '../linux/shared-files.ts';
import { writeServerPackage } from '../linux/write-debian-package.ts';
import { installedWith, withPackage } from '../locked-packages.ts';
import { PLATFORM, type Product, WEB } from '../products.ts';
import { readNode } from '../single-file/read-node.ts';
import type { Target } from '../single-file/targets.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export type ServerOptions = {
  readonly folderOf: (product: Product) => string;
  readonly out: string;
  readonly time: Date;
};

/** The folder in the archive. */
const LIB = 'lib/svc-server';

/** The configuration files of the operator's guide, where Debian's packages have theirs. */
const EXAMPLES = 'share/doc/svc-server/examples';

/** Starts a program with the Node beside it, from wherever the folder is, also through a link. */
const START = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")/../${LIB}
exec "$here/node" --disable-sigusr1 "$here/PACKAGE/bin/PROGRAM.mjs" "$@"
`;

/** Writes `svc-server-VERSION-SYSTEM.tar.gz`, and the package for Debian. */
export async function writeServer(
  target: Target,
  { folderOf, out, time }: ServerOptions,
): Promise<void> {
  using work = temporaryFolder();
  const folder = work.path;
  await writeFiles(target, { folderOf, folder, time });
  const file = join(out, `svc-server-${readVersion()}-${target.name}.tar.gz`);
  await writeArchive({ folder, inside: '', file, time });
  await writeServerPackage({ target: target.name, unpacked: folder, out, time });
}

async function writeFiles(
  target: Target,
  { folderOf, folder, time }: Omit<ServerOptions, 'out'> & { readonly folder: string },
): Promise<void> {
  const lib = join(folder, LIB);
  const node = await readNode(target);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(lib, { recursive: true });
  writeFileSync(join(lib, 'node'), target.prepare(node.bytes));
  writeFileSync(join(lib, 'NODE-LICENSE'), node.license);
  cpSync(join(import.meta.dirname, 'licenses'), join(lib, 'licenses'), { recursive: true });
  for (const [product, name] of [
    [PLATFORM, 'platform'],
    [WEB, 'web'],
  ] as const) {
    cpSync(folderOf(product), join(lib, name), { recursive: true });
    const start = START.replace('PACKAGE', name).replace('PROGRAM', `svc-${name}`);
    writeFileSync(join(folder, 'bin', `svc-${name}`), start);
  }
  const system = { os: 'linux', cpu: target.name.replace('linux-', ''), libc: 'glibc' };
  for (const native of PLATFORM.installed) {
    for (const name of installedWith(native, system)) {
      await withPackage(name, (from) =>
        cpSync(from, join(lib, 'platform/node_modules', name), {
          recursive: true,
          dereference: true,
        }),
      );
    }
  }
  cpSync(join(ROOT, 'docs/operations'), join(folder, EXAMPLES), { recursive: true });
  writeManuals(folder, time);
  for (const path of filesIn(folder)) {
    const isProgram =
      path === `${LIB}/node` || readFileSync(join(folder, path)).subarray(0, 2).toString() === '#!';
    chmodSync(join(folder, path), isProgram ? 0o755 : 0o644);
  }
}

/** The manual pages have what the programs print as their help. */
function writeManuals(folder: string, time: Date): void {
  for (const [name, path] of Object.entries(SERVER_MANUALS)) {
    // From source, because the packaged servers have native code of the target.
    const program = join(ROOT, 'packages', name.replace('svc-', ''), 'bin', `${name}.mjs`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--help'], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${name} --help failed: ${stderr}`);
    const summary = DESCRIPTION.server.programs[name as keyof typeof SERVER_MANUALS];
    const version = readVersion();
    const page = serverManPage({ name, summary, help: stdout, version, time });
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), page);
  }
}
