// Archives that have the same bytes whenever and wherever they are made from the same files.
import { constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { writeZip, type ZippedData } from '@svc/game-build';
import { create } from 'tar';

export type Archive = {
  /** The folder whose files are archived. */
  readonly folder: string;
  /** The folder in the archive that contains them. Empty: the files are not in a folder. */
  readonly inside: string;
  readonly file: string;
  readonly time: Date;
  /** Whether the folders have entries of their own. Default: false. */
  readonly folders?: boolean;
};

/** Writes a `.tar.gz` file. */
export async function writeArchive({
  folder,
  inside,
  file,
  time,
  folders = false,
}: Archive): Promise<void> {
  await create(
    {
      ...{ file, cwd: folder, prefix: inside, mtime: time, strict: true },
      // Without owners, inodes and other facts of this machine. The compression states no operating system.
      portable: true,
      gzip: { level: 9 },
      noDirRecurse: true,
      onWriteEntry: (entry) => {
        // By itself tar gives folders in portable archives no time.
        entry.noMtime = false;
        // Modes depend on the umask under which the files were made.
        if (entry.stat !== undefined) entry.stat.mode = fixedMode(entry.stat.mode);
      },
    },
    folders ? withFolders(filesIn(folder)) : filesIn(folder),
  );
}

const { S_IFMT, S_IFDIR, S_IXUSR } = constants;

/** 0755 for folders and programs, and 0644 for other files. */
function fixedMode(mode: number): number {
  const kind = mode & S_IFMT;
  return kind | (kind === S_IFDIR || (mode & S_IXUSR) !== 0 ? 0o755 : 0o644);
}

/** The paths, each after those of its folders. */
function withFolders(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [...parentsOf(path), path]))].sort();
}

/** The folders that contain the path, the outermost first. */
export function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Writes a ZIP file. */
export async function writeZipArchive({
  folder,
  file,
}: Omit<Archive, 'inside' | 'time'>): Promise<void> {
  const zip = writeZip(zipped(folder));
  await writeFile(file, zip);
}

async function* zipped(folder: string): AsyncGenerator<ZippedData> {
  for (const path of filesIn(folder)) {
    const bytes = readFileSync(join(folder, path));
    const data = deflateRawSync(bytes, { level: 9 });
    const sizes = { bytes: bytes.length, dataBytes: data.length };
    yield { path, method: 8, ...sizes, crc32: crc32(bytes), data: piecesOf(data) };
  }
}

async function* piecesOf(data: Buffer): AsyncGenerator<Buffer> {
  yield data;
}

/** The files in a folder and its subfolders, as paths with forward slashes, sorted. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}
