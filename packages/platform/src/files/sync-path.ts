// Syncs files and folders to the disk.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { asStorageFailure } from './storage-error.ts';

/** Syncs a written file to the disk. */
export async function syncFile(path: string): Promise<void> {
  await syncPath(path, 'r+');
}

/** Syncs the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  await syncPath(folder, constants.O_RDONLY);
}

async function syncPath(path: string, flags: 'r+' | number): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } catch (error) {
    throw asStorageFailure(error);
  } finally {
    await handle.close();
  }
}
