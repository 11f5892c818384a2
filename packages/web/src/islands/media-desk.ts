// The pictures of a page while they are managed: what is there, what is on its way, and what can be done.
import { batch, signal } from '@preact/signals';
import type { Media } from '@svc/contracts/platform';
import { field, type Sent, sendForm } from './send-form.ts';

/** What a page has one of. */
export type SlotName = 'cover' | 'banner' | 'trailer';
type Pictures = Readonly<Record<SlotName, Media | null>> & {
  readonly screenshots: readonly Media[];
};

/** What the page tells the island. */
export type MediaPanel = {
  readonly base: string;
  readonly slots: readonly { name: SlotName; label: string; accept: string; hint: string }[];
  readonly screenshots: { readonly accept: string; readonly most: number; readonly hint: string };
  readonly altCharacters: number;
  readonly page: Pictures;
};

/** A file on its way, or one that was refused; it goes when it is there or is dismissed. */
export type Upload = {
  readonly id: number;
  readonly target: SlotName | 'screenshots';
  readonly file: File;
  readonly stop: AbortController;
  readonly state: 'waiting' | { readonly share: number } | { readonly refused: string };
};

/** The panel's state, and what can be done with it. */
export type Desk = ReturnType<typeof openDesk>;

/** Opens the panel: what the page has now, and nothing on its way. `onChange` hears when the page has changed. */
export function openDesk(panel: MediaPanel, onChange: () => void) {
  const page = signal(panel.page);
  const uploads = signal<readonly Upload[]>([]);
  /** Told to whoever can't see what moved. */
  const said = signal('');
  const fault = signal<string | null>(null);
  let count = 0;
  let isSending = false;

  const change = (id: number, state: Upload['state'] | null): void => {
    uploads.value = uploads.value.flatMap((one) =>
      one.id !== id ? [one] : state === null ? [] : [{ ...one, state }],
    );
  };
  const take = (told: unknown, words: string): void => {
    batch(() => {
      page.value = readPictures(field(told, 'page'), page.value);
      said.value = words;
      fault.value = null;
    });
    onChange();
  };
  const sendNext = async (): Promise<void> => {
    const next = uploads.value.find(({ state }) => state === 'waiting');
    if (isSending || next === undefined) return;
    isSending = true;
    change(next.id, { share: 0 });
    const form = new FormData();
    form.set('metadata', '{}');
    form.set(next.target, next.file);
    const sent = await sendForm(`${panel.base}/media`, form, next.stop.signal, (share) =>
      change(next.id, { share }),
    );
    isSending = false;
    if (sent.state === 'done') take(sent.told, `${next.file.name} is there.`);
    const gone = sent.state === 'done' || sent.state === 'stopped';
    change(next.id, gone ? null : { refused: refusalOf(sent) });
    await sendNext();
  };
  const add = (target: Upload['target'], files: Iterable<File>): void => {
    const taken = target === 'screenshots' ? [...files] : [...files].slice(0, 1);
    const fresh = taken.map(
      (file): Upload => ({
        id: ++count,
        target,
        file,
        stop: new AbortController(),
        state: 'waiting',
      }),
    );
    // A new file for a place takes that of one that was refused there.
    const kept = uploads.value.filter(
      (one) => one.target !== target || target === 'screenshots' || !isRefused(one),
    );
    uploads.value = [...kept, ...fresh];
    void sendNext();
  };
  const stop = (upload: Upload): void => {
    upload.stop.abort();
    if (upload.state === 'waiting' || isRefused(upload)) change(upload.id, null);
  };
  const again = (upload: Upload): void => {
    change(upload.id, 'waiting');
    void sendNext();
  };
  const arrange = async (fields: Record<string, string>, words: string): Promise<void> => {
    const sent = await sendForm(
      `${panel.base}/arrange`,
      new URLSearchParams(fields),
      new AbortController().signal,
      () => {},
    );
    if (sent.state === 'done') take(sent.told, words);
    else fault.value = refusalOf(sent);
  };
  return { panel, page, uploads, said, fault, add, stop, again, arrange };
}

function isRefused({ state }: Upload): boolean {
  return typeof state === 'object' && 'refused' in state;
}

/** The pictures in an answer of our own server; those from before where it tells none. */
function readPictures(told: unknown, before: Pictures): Pictures {
  const isPage = Array.isArray(field(told, 'screenshots'));
  return isPage ? Object.assign({}, before, told) : before;
}

function refusalOf(sent: Exclude<Sent, { state: 'done' }>): string {
  switch (sent.state) {
    case 'refused':
      return [sent.message, ...sent.findings.map(({ message }) => message)].join(' ');
    case 'signed-out':
      return 'Your session has ended: sign in in another tab, then try this again.';
    case 'stopped':
      return 'Stopped.';
    case 'unreachable':
      return 'The store can’t be reached: try this again in a moment.';
  }
}
