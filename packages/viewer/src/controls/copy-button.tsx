// A button that copies a text and reports the result in a notice.
import { notify } from '../state/notices.ts';

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button type="button" class="button small" onClick={() => void copyText(text, what)}>
      Copy {what}
    </button>
  );
}

/** Copies a text to the clipboard. `what` names it in the notice. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify('good', `Copied the ${what}.`);
  } catch {
    notify('warn', `The browser did not allow copying the ${what}.`);
  }
}
