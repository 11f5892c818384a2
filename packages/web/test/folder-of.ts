// Folders for tests of the upload island.
import { BUILD_LIMITS } from '@svc/game-build';
import {
  type ChosenFolder,
  type FolderFile,
  folderFile,
} from '../src/islands/folder/chosen-folder.ts';

export const LIMITS = BUILD_LIMITS;

/** A folder with these files. */
export function folderOf(
  files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
): ChosenFolder {
  return {
    name: 'game',
    files: Object.entries(files).map(([path, content]) =>
      folderFile(path, new File([content], path.split('/').at(-1) ?? '')),
    ),
  };
}

/** A file that was changed on disk. Browsers reject each read of it. */
export function unreadable(path: string, bytes = 10): FolderFile {
  const arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'));
  const file = { size: bytes, slice: () => ({ arrayBuffer }) } as unknown as File;
  return folderFile(path, file);
}
