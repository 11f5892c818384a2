// Copy buttons. They are shown if the browser has a clipboard API. If copying fails, the text is selected instead.

/** How long a button shows that its text was copied. */
const SHOWN_MS = 2000;

/** Announces what was copied to screen readers. */
const status = document.createElement('p');
let restore = (): void => {};

if (navigator.clipboard !== undefined) {
  status.setAttribute('role', 'status');
  status.className = 'visually-hidden';
  document.body.append(status);
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    startCopy(button);
  }
}

function startCopy(button: HTMLButtonElement): void {
  const source = document.querySelector(button.dataset['copy'] ?? '');
  if (source === null) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(source.textContent ?? '').then(
      () => showCopied(button),
      () => getSelection()?.selectAllChildren(source),
    );
  });
}

/** Replaces the visible text of a button for a while. Its hidden text, which names what is copied, stays. */
function showCopied(button: HTMLButtonElement): void {
  restore();
  const visible = button.firstChild;
  if (visible === null) return;
  const before = visible.textContent;
  visible.textContent = 'Copied';
  status.textContent = button.textContent;
  const timer = setTimeout(() => restore(), SHOWN_MS);
  restore = () => {
    clearTimeout(timer);
    visible.textContent = before;
    status.textContent = '';
    restore = () => {};
  };
}
