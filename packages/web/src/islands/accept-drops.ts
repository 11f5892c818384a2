// Accepts dropped files on an element, and marks it with the class `dropping` while files are dragged over it.

/**
 * Calls `take` with the files that are dropped on the element, and with the drop itself, which also has folders. Other drops
 * are left to the browser.
 */
export function acceptDrops(
  element: HTMLElement,
  take: (files: FileList, drop: DataTransfer) => void,
): void {
  const mark = (on: boolean): void => {
    element.classList.toggle('dropping', on);
  };
  element.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    mark(true);
  });
  element.addEventListener('dragleave', () => mark(false));
  element.addEventListener('drop', (event) => {
    mark(false);
    const drop = event.dataTransfer;
    if (drop === null || !hasFiles(drop)) return;
    event.preventDefault();
    take(drop.files, drop);
  });
}

/** Some browsers list a folder among the items only. */
function hasFiles({ files, items }: DataTransfer): boolean {
  return files.length > 0 || [...(items ?? [])].some(({ kind }) => kind === 'file');
}
