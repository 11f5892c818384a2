// Writes a package for Debian and its relatives.
// Format: https://manpages.debian.org/deb.5
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, parentsOf, writeArchive } from '../archive.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export type Deb = {
  /** The files, with their paths below `/`. */
  readonly folder: string;
  readonly file: string;
  readonly time: Date;
  /** The fields of the control file, in their order. `Installed-Size` is added, and the list of MD5 sums. */
  readonly fields: Readonly<Record<string, string>>;
};

/** Writes the package. */
export async function writeDeb({ folder, file, time, fields }: Deb): Promise<void> {
  using work = temporaryFolder();
  const control = join(work.path, 'control');
  mkdirSync(control);
  const paths = filesIn(folder);
  const all = { ...fields, 'Installed-Size': String(installedKib(folder, paths)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\n`);
  const sums = paths.map((path) => `${md5(join(folder, path))}  ${path}\n`);
  writeFileSync(join(control, 'control'), lines.join(''));
  writeFileSync(join(control, 'md5sums'), sums.join(''));
  const parts = {
    control: join(work.path, 'control.tar.gz'),
    data: join(work.path, 'data.tar.gz'),
  };
  await writeArchive({ folder: control, inside: '', file: parts.control, time });
  await writeArchive({ folder, inside: '', file: parts.data, time, folders: true });
  const members: [string, Buffer][] = [
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', readFileSync(parts.control)],
    ['data.tar.gz', readFileSync(parts.data)],
  ];
  writeFileSync(file, archiveOf(members, time));
}

/** The size of all files and folders, each rounded up to KiB. */
function installedKib(folder: string, paths: readonly string[]): number {
  const folders = new Set(paths.flatMap((path) => parentsOf(path)));
  return paths.reduce(
    (sum, path) => sum + Math.ceil(statSync(join(folder, path)).size / 1024),
    folders.size,
  );
}

/** What `dpkg --verify` compares. */
function md5(file: string): string {
  return createHash('md5').update(readFileSync(file)).digest('hex');
}

/** An archive in the format of `ar`. */
function archiveOf(members: readonly (readonly [string, Buffer])[], time: Date): Buffer {
  const seconds = String(Math.floor(time.getTime() / 1000));
  const parts = members.flatMap(([name, bytes]) => [
    Buffer.from(
      [
        ...[name.padEnd(16), seconds.padEnd(12), '0'.padEnd(6), '0'.padEnd(6)],
        ...['100644'.padEnd(8), String(bytes.length).padEnd(10), '`\n'],
      ].join(''),
    ),
    bytes,
    Buffer.from(bytes.length % 2 === 0 ? '' : '\n'),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
