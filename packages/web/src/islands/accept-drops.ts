// Files dropped on an element, with a class while they hang over it.

/** Calls `take` with what is dropped on the element. */
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
