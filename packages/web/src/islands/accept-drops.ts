// Accepts dropped files on an element, and marks it with the class `dropping` while files are dragged over it.

/** Calls `take` with the files that are dropped on the element. Other drops are left to the browser. */
export function acceptDrops(element: HTMLElement, take: (files: FileList) => void): void {
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
    const files = event.dataTransfer?.files;
    if (files === undefined || files.length === 0) return;
    event.preventDefault();
    take(files);
  });
}
