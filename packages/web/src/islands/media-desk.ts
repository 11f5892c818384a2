// The state of the media manager: the media of a page, their uploads, and the actions on both.
import { batch, signal } from '@preact/signals';
import type { Media } from '@svc/contracts/platform';
import { field, sendForm } from './send-form.ts';
import { createUploadQueue, describeFailure, type SlotName } from './upload-queue.ts';

type PageMedia = Readonly<Record<SlotName, Media | null>> & {
  readonly screenshots: readonly Media[];
};

/** The data that the page passes to the island as JSON. */
export type MediaPanel = {
  readonly base: string;
  readonly slots: readonly { name: SlotName; label: string; accept: string; hint: string }[];
  readonly screenshots: { readonly accept: string; readonly most: number; readonly hint: string };
  readonly altCharacters: number;
  readonly page: PageMedia;
};

export type Desk = ReturnType<typeof openDesk>;

/** Creates the state from the panel's data. `onChange` is called after each change of the page. */
export function openDesk(panel: MediaPanel, onChange: () => void) {
  const page = signal(panel.page);
  /** The last change, for screen readers. */
  const announcement = signal('');
  /** The message of the last change if it failed. */
  const fault = signal<string | null>(null);

  const apply = (answer: unknown, text: string): void => {
    batch(() => {
      page.value = readMedia(field(answer, 'page'), page.value);
      announcement.value = text;
      fault.value = null;
    });
    onChange();
  };
  const { uploads, add, stop, retry } = createUploadQueue(`${panel.base}/media`, (file, answer) =>
    apply(answer, `${file.name} has been uploaded.`),
  );
  /** Sends an arrange form, and announces `text` if it succeeds. */
  const arrange = async (fields: Record<string, string>, text: string): Promise<void> => {
    const sent = await sendForm(
      `${panel.base}/arrange`,
      new URLSearchParams(fields),
      new AbortController().signal,
      () => {},
    );
    if (sent.state === 'done') apply(sent.answer, text);
    else fault.value = describeFailure(sent);
  };
  return { panel, page, uploads, announcement, fault, add, stop, retry, arrange };
}

/** The media in a response of this site; `before` if it contains none. */
function readMedia(page: unknown, before: PageMedia): PageMedia {
  const isPage = Array.isArray(field(page, 'screenshots'));
  return isPage ? Object.assign({}, before, page) : before;
}
