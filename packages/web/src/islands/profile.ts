// The profile's picture: what was chosen is shown as it will look, before it is uploaded.

const form = document.querySelector<HTMLFormElement>('[data-picture]');
const input = form?.querySelector<HTMLInputElement>('input[type=file]');
const said = form?.querySelector<HTMLElement>('[data-said]');
const shown = document.querySelector<HTMLElement>('[data-preview]');

if (input && said && shown) startPreview(input, said, shown);

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
      end([image], 'This is how it will look. Nothing is saved until you upload it.'),
    );
    image.addEventListener('error', () => end(before, 'This file can’t be shown as a picture.'));
    image.src = address;
  };
  const update = (): void => {
    const [file] = chooser.files ?? [];
    if (file === undefined) show(before, '');
    else preview(file);
  };
  chooser.addEventListener('change', update);
  // A browser that goes back may have kept the choice.
  update();
}
