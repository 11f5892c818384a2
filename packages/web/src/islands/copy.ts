// Copy buttons. They are shown if the browser has a clipboard API. If copying fails, the text is selected instead.

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) startCopy(button);

function startCopy(button: HTMLButtonElement): void {
  const source = document.querySelector(button.dataset['copy'] ?? '');
  if (source === null || navigator.clipboard === undefined) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(source.textContent ?? '').then(
      () => {
        button.textContent = 'Copied';
      },
      () => getSelection()?.selectAllChildren(source),
    );
  });
}
