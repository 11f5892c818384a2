// A button that copies a text and reports the result in a notice.
import { notify } from '../state/notices.ts';

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button type="button" class="button small" onClick={() => void copyText(text, what)}>
      Copy {what}
    </button>
  );
}

/** Copies a text to the clipboard. `what` names it in the notice. Returns the text of the notice. */
export async function copyText(text: string, what: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    const copied = `Copied the ${what}.`;
    notify('good', copied);
    return copied;
  } catch {
    const refused = `The browser did not allow copying the ${what}. It does on HTTPS pages and on this computer.`;
    notify('warn', refused);
    return refused;
  }
}
