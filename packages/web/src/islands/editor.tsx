// The island of the editor: a live preview next to the form, and the media manager.
import { render } from 'preact';
import type { MediaPanel } from './media-desk.ts';
import { MediaManager } from './media-manager.tsx';
import { PreviewPane } from './preview-pane.tsx';

const form = document.querySelector<HTMLFormElement>('[data-page-form]');
const pane = document.querySelector<HTMLElement>('[data-preview]');
const media = document.querySelector<HTMLElement>('[data-media]');

if (form !== null) warnBeforeLoss(form);
if (form !== null && pane !== null) {
  pane.hidden = false;
  render(<PreviewPane form={form} address={pane.dataset['preview'] ?? ''} />, pane);
}
if (media !== null) {
  const panel: MediaPanel = JSON.parse(media.querySelector('script')?.textContent ?? '');
  media.replaceChildren();
  render(
    <MediaManager panel={panel} onChange={() => form?.dispatchEvent(new Event('change'))} />,
    media,
  );
}

/** Asks for confirmation before the user leaves the page with unsaved changes. */
function warnBeforeLoss(page: HTMLFormElement): void {
  const read = (): string => JSON.stringify([...new FormData(page)]);
  const saved = read();
  let isSending = false;
  page.addEventListener('submit', (event) => {
    const { submitter } = event;
    isSending = !(submitter instanceof HTMLButtonElement && submitter.formTarget === '_blank');
  });
  window.addEventListener('beforeunload', (event) => {
    if (!isSending && read() !== saved) event.preventDefault();
  });
}
