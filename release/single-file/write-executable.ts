// Writes the archive with the single executable for one system.
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVersion } from '../../scripts/version.ts';
import { writeArchive, writeZipArchive } from '../archive.ts';
import { writeSharedFiles } from '../linux/shared-files.ts';
import { writeCommandPackage } from '../linux/write-debian-package.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { buildExecutable } from './build-executable.ts';
import { readNode } from './read-node.ts';
import type { Target } from './targets.ts';

export type ExecutableOptions = {
  /** The folder with the files of the package for npm. */
  readonly packaged: string;
  readonly out: string;
  readonly time: Date;
  /** Signs the executable in its place. */
  readonly sign?: ((file: string) => void) | undefined;
};

/** Writes `svc-VERSION-SYSTEM.tar.gz`, or `.zip` for Windows, and the packages for distributions of the system. */
export async function writeExecutable(
  target: Target,
  { packaged, out, time, sign }: ExecutableOptions,
): Promise<void> {
  using work = temporaryFolder();
  const folder = work.path;
  await writeFiles(target, packaged, folder);
  sign?.(join(folder, target.executable));
  const isWindows = target.executable.endsWith('.exe');
  if (!isWindows) await writeSharedFiles(folder, time);
  const file = join(out, `svc-${readVersion()}-${target.name}`);
  if (isWindows) await writeZipArchive({ folder, file: `${file}.zip` });
  else await writeArchive({ folder, inside: '', file: `${file}.tar.gz`, time });
  await writeCommandPackage({ target: target.name, unpacked: folder, out, time });
}

/** Writes the executable and the licences of everything inside. */
async function writeFiles(target: Target, packaged: string, folder: string): Promise<void> {
  const node = await readNode(target);
  const executable = join(folder, target.executable);
  writeFileSync(executable, await buildExecutable(target, node, join(packaged, 'dist')));
  chmodSync(executable, 0o755);
  copyFileSync(join(packaged, 'LICENSE'), join(folder, 'LICENSE'));
  const notices = readFileSync(join(packaged, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  writeFileSync(
    join(folder, 'THIRD-PARTY-NOTICES.txt'),
    `${notices}\n${'-'.repeat(72)}\n\nNode.js ${node.version}\n\n${node.license}`,
  );
}
