// A folder that a person chose or dropped: its name and all its files, with paths relative to it.

/** A file of the folder. `path` has slashes and is not rewritten otherwise. */
export type FolderFile = {
  readonly path: string;
  readonly bytes: number;
  readonly file: File;
};

export type ChosenFolder = { readonly name: string; readonly files: readonly FolderFile[] };

/** The folder of an input with `webkitdirectory`; null if nothing was chosen. Browsers report an empty folder as no choice. */
export function readChosen(files: Iterable<File>): ChosenFolder | null {
  const all = [...files];
  const [first] = all;
  if (first === undefined) return null;
  const name = first.webkitRelativePath.split('/')[0] ?? '';
  return { name, files: all.map((file) => folderFile(withoutTop(file.webkitRelativePath), file)) };
}

/** A file at a path of the folder. */
export function folderFile(path: string, file: File): FolderFile {
  return { path, bytes: file.size, file };
}

function withoutTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}
