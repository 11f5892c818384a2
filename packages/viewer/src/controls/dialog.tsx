// A modal dialog based on `<dialog>`: focus stays inside, Escape closes it, and focus returns afterwards.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import './dialog.css';

type Props = {
  readonly open: boolean;
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
};

export function Dialog(props: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const title = useId();
  const { open } = props;
  // A layout effect runs before the next key event, so that no key reaches the page below.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!open || dialog === null) return undefined;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      if (dialog.open) dialog.close();
      if (document.activeElement === document.body) giveFocusBack(before);
    };
  }, [open]);
  if (!open) return null;
  // A browser reports a close one frame later. Another dialog may be open by then, which this event must not close.
  const closeIfShown = (event: Event): void => {
    if (event.target === ref.current) props.close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog by keyboard
    <dialog
      ref={ref}
      class={props.wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={title}
      onCancel={closeIfShown}
      onClose={closeIfShown}
      onClick={closeIfShown}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={title}>{props.title}</h2>
          <button type="button" class="button quiet small" aria-label="Close" onClick={props.close}>
            ✕
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}

/** Focuses the previous element, or the view if that element is gone. */
function giveFocusBack(before: Element | null): void {
  const there = before?.isConnected ? before : document.getElementById('view');
  if (there instanceof HTMLElement) there.focus();
}
