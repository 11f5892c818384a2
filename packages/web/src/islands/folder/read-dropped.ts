// Lists the files of a dropped folder.
import { refuse, tooManyEntries } from '@svc/game-build/folder';
import { type ChosenFolder, type FolderFile, folderFile } from './chosen-folder.ts';

/** The files and folders of a drop. Must be called in the event's handler, because the drop is emptied after it. */
export function entriesOf({ items }: DataTransfer): FileSystemEntry[] {
  return [...items].flatMap((item) =>
    item.kind === 'file' ? (item.webkitGetAsEntry() ?? []) : [],
  );
}

/** Whether a drop is a folder, or the content of one: anything but a single file. */
export function isFolderDrop(entries: readonly FileSystemEntry[]): boolean {
  return entries.length > 1 || entries.some(({ isDirectory }) => isDirectory);
}

/**
 * Reads the dropped folder. Several dropped entries are the content of a folder without a name. Throws a `BuildError` if there
 * are more than `maxEntries` files and folders, and the browser's error if one can't be read.
 */
export async function readDropped(
  entries: readonly FileSystemEntry[],
  maxEntries: number,
): Promise<ChosenFolder> {
  const [only] = entries;
  const isOne = entries.length === 1 && only !== undefined && isFolder(only);
  const files: FolderFile[] = [];
  const waiting: { readonly path: string; readonly entry: FileSystemEntry }[] = isOne
    ? (await listEntries(only)).map((entry) => ({ path: entry.name, entry }))
    : entries.map((entry) => ({ path: entry.name, entry }));
  let seen = waiting.length;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, entry } = next;
    if (seen > maxEntries) refuse([tooManyEntries(maxEntries)]);
    if (isFile(entry)) files.push(folderFile(path, await openFile(entry)));
    else if (isFolder(entry)) {
      const inside = await listEntries(entry);
      seen += inside.length;
      waiting.push(...inside.map((one) => ({ path: `${path}/${one.name}`, entry: one })));
    }
  }
  return { name: isOne ? only.name : `${entries.length} files and folders`, files };
}

/** Lists a folder. A call of `readEntries` returns some of the entries, and an empty array at the end. */
async function listEntries(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function openFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
