// Copies a text; says that it did.
import { notify } from '../state/notices.ts';

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button type="button" class="button small" onClick={() => void copyText(text, what)}>
      Copy {what}
    </button>
  );
}

/** Puts a text on the clipboard. `what` names it in the message. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify('good', `Copied the ${what}.`);
  } catch {
    notify('warn', `The browser did not let the ${what} onto the clipboard.`);
  }
}
