// The editor's island: the page as a stranger would see it beside its form, and pictures that are managed in place.
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

/** Leaving with words that are not saved asks first. */
function warnBeforeLoss(words: HTMLFormElement): void {
  const read = (): string => JSON.stringify([...new FormData(words)]);
  const saved = read();
  let isSending = false;
  words.addEventListener('submit', (event) => {
    const { submitter } = event;
    isSending = !(submitter instanceof HTMLButtonElement && submitter.formTarget === '_blank');
  });
  window.addEventListener('beforeunload', (event) => {
    if (!isSending && read() !== saved) event.preventDefault();
  });
}
