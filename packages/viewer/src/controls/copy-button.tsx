// A button that copies a text and reports the result in a notice.
import { type CopyByHand, notify } from '../state/notices.ts';

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button type="button" class="button small" onClick={() => void copyText(text, what)}>
      Copy {what}
    </button>
  );
}

/** What became of a copy, in a sentence. `copy` is the text to copy by hand if the browser refused, otherwise null. */
export type Copied = { readonly result: string; readonly copy: CopyByHand | null };

/** Copies a text to the clipboard. `what` names it in the notice. If the browser refuses, the notice offers the text in a field. */
export async function copyText(text: string, what: string): Promise<Copied> {
  try {
    await navigator.clipboard.writeText(text);
    const result = `Copied the ${what}.`;
    notify('good', result);
    return { result, copy: null };
  } catch {
    const result = `The browser did not allow copying the ${what}. Copy it from the field.`;
    const copy = { text, what };
    notify('warn', result, copy);
    return { result, copy };
  }
}
