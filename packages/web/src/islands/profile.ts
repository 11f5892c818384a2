// Shows a preview of the selected avatar before it is uploaded.

const form = document.querySelector<HTMLFormElement>('[data-picture]');
const input = form?.querySelector<HTMLInputElement>('input[type=file]');
const message = form?.querySelector<HTMLElement>('[data-message]');
const shown = document.querySelector<HTMLElement>('[data-preview]');

if (input && message && shown) startPreview(input, message, shown);

function startPreview(chooser: HTMLInputElement, status: HTMLElement, place: HTMLElement): void {
  const before = [...place.childNodes];
  const show = (nodes: readonly Node[], words: string): void => {
    place.replaceChildren(...nodes);
    status.textContent = words;
  };
  const preview = (file: File): void => {
    const image = new Image(96, 96);
    const address = URL.createObjectURL(file);
    const end = (nodes: readonly Node[], words: string): void => {
      URL.revokeObjectURL(address);
      if (chooser.files?.[0] === file) show(nodes, words);
    };
    image.className = 'face';
    image.alt = 'Preview of the new picture';
    image.addEventListener('load', () =>
      end([image], 'Preview. The picture is not saved until you upload it.'),
    );
    image.addEventListener('error', () =>
      end(before, 'This file is not an image that the browser can show.'),
    );
    image.src = address;
  };
  const update = (): void => {
    const [file] = chooser.files ?? [];
    if (file === undefined) show(before, '');
    else preview(file);
  };
  chooser.addEventListener('change', update);
  // After going back, a browser may have restored the selection.
  update();
}
