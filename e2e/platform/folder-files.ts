// Reads the files of a folder by their paths, as in a build.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Reads every file of the folder. */
export async function folderFiles(folder: string): Promise<Record<string, Uint8Array>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: Record<string, Uint8Array> = {};
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files[relative(folder, path).replaceAll('\\', '/')] = await readFile(path);
  }
  return files;
}
