// Opens what the user pastes: a file, or the text of a trace.
import { openHere } from '../../traces/open-file.ts';

/** The name of a trace whose text was pasted. */
const PASTED = 'pasted text';

export function listenForPaste(): void {
  addEventListener('paste', (event) => {
    if (event.defaultPrevented || isField(event.target)) return;
    const file = pastedFile(event.clipboardData);
    if (file === null) return;
    event.preventDefault();
    void openHere(file);
  });
}

/** Returns the first file of a clipboard, its text as a file, or null if it has neither. */
function pastedFile(clipboard: DataTransfer | null): File | null {
  const file = clipboard?.files[0];
  if (file !== undefined) return file;
  const text = clipboard?.getData('text/plain') ?? '';
  return text.trim() === '' ? null : new File([text], PASTED);
}

/** Whether a paste belongs to a field or an open dialog. */
function isField(target: EventTarget | null): boolean {
  return (
    document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && ['INPUT', 'TEXTAREA'].includes(target.tagName))
  );
}
