// A selected, read-only field with a text that the browser did not copy, so that the user can copy it by hand.
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Most lines that are shown at once. */
const MOST_ROWS = 4;

export function HandCopy({ text, what }: { readonly text: string; readonly what: string }) {
  const ref = useRef<HTMLTextAreaElement>(null);
  // The field answers the user's own click, so it may take the focus. A field below a dialog can't.
  useLayoutEffect(() => {
    ref.current?.focus();
    ref.current?.select();
  }, [text]);
  return (
    <textarea
      ref={ref}
      class="hand-copy"
      readOnly
      rows={Math.min(MOST_ROWS, text.split('\n').length)}
      aria-label={`The ${what}, to copy by hand`}
      value={text}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}
