// The files that svc needs beside its code: in the folder of the bundle, or inside the single executable.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
// Node 24.5 has no `getAssetKeys`, which only the single executable needs.
import * as sea from 'node:sea';

/** Whether svc is a single executable. */
export const IS_SINGLE_FILE: boolean = sea.isSea();

/** Whether svc is packaged. If not, it runs from source. */
export const IS_PACKAGED: boolean =
  IS_SINGLE_FILE || existsSync(join(import.meta.dirname, 'agent-worker.mjs'));

/** Reads a packaged file. `path` is relative to the bundle, with forward slashes. Throws Node's error if there is no such file. */
export function readPackaged(path: string): Buffer {
  return IS_SINGLE_FILE
    ? Buffer.from(sea.getRawAsset(path))
    : readFileSync(join(import.meta.dirname, path));
}

/** The paths of the packaged files in a folder and below, relative to the folder, with forward slashes. */
export function listPackaged(folder: string): string[] {
  if (IS_SINGLE_FILE) {
    return sea
      .getAssetKeys()
      .flatMap((key) => (key.startsWith(`${folder}/`) ? [key.slice(folder.length + 1)] : []));
  }
  return readdirSync(join(import.meta.dirname, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => path.slice(join(import.meta.dirname, folder).length + 1).replaceAll('\\', '/'));
}
