// A dialog on the browser's own <dialog>: it takes the keys at once, focus stays inside, Escape closes, focus goes back.
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
  // Before the next key comes, not when the page is painted: what is typed must not reach the page below.
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
  // Browsers report that a dialog was closed with the next frame. By then another one may be open: a report on this one must not close that.
  const closeIfShown = (event: Event): void => {
    if (event.target === ref.current) props.close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does for keys what a click beside does
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

/** To where it was; to the view where that is gone. */
function giveFocusBack(before: Element | null): void {
  const there = before?.isConnected ? before : document.getElementById('view');
  if (there instanceof HTMLElement) there.focus();
}
