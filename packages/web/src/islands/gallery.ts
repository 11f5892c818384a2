// A viewer for screenshots: a dialog that is operated with buttons or arrow keys.

/** Opens the viewer when a link of the list is clicked. Closing it moves the focus to the link of the shown image. */
export function openGallery(list: HTMLElement): void {
  const links = [...list.querySelectorAll<HTMLAnchorElement>('a')];
  if (links.length === 0 || typeof HTMLDialogElement === 'undefined') return;
  const { dialog, image, caption, count, previous, next } = makeDialog();
  let at = 0;
  const show = (index: number): void => {
    at = (index + links.length) % links.length;
    const link = links[at];
    if (link === undefined) return;
    image.src = link.href;
    image.alt = link.querySelector('img')?.alt ?? '';
    caption.textContent = link.dataset['caption'] ?? '';
    count.textContent = `${at + 1} of ${links.length}`;
  };
  previous.addEventListener('click', () => show(at - 1));
  next.addEventListener('click', () => show(at + 1));
  dialog.addEventListener('keydown', (event) => {
    const places: Readonly<Record<string, number>> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: links.length - 1,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    show(place);
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => links[at]?.focus());
  document.body.append(dialog);
  for (const [index, link] of links.entries()) {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(index);
      dialog.showModal();
    });
  }
}

function makeDialog() {
  const dialog = document.createElement('dialog');
  dialog.className = 'viewer';
  dialog.setAttribute('aria-label', 'Screenshots');
  const figure = document.createElement('figure');
  const image = document.createElement('img');
  const caption = document.createElement('figcaption');
  figure.append(image, caption);
  const bar = document.createElement('div');
  bar.className = 'viewer-bar';
  const count = document.createElement('span');
  count.setAttribute('role', 'status');
  const previous = makeButton('Previous');
  const next = makeButton('Next');
  const close = makeButton('Close');
  close.addEventListener('click', () => dialog.close());
  bar.append(previous, count, next, close);
  dialog.append(figure, bar);
  return { dialog, image, caption, count, previous, next };
}

function makeButton(text: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button quiet';
  button.textContent = text;
  return button;
}
