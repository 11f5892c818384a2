// Uploads media files one after the other. A file stays in the list until it is uploaded or dismissed.
import { signal } from '@preact/signals';
import { type Sent, sendForm } from './send-form.ts';

/** A medium of which a page has one. */
export type SlotName = 'cover' | 'banner' | 'trailer';

/** A file that is waiting, being uploaded (`share` is 0 to 1), or rejected with a message. */
export type Upload = {
  readonly id: number;
  readonly target: SlotName | 'screenshots';
  readonly file: File;
  readonly stop: AbortController;
  readonly state: 'waiting' | { readonly share: number } | { readonly refused: string };
};

/** Creates an empty queue. `onDone` is called with each uploaded file and the server's JSON. */
export function createUploadQueue(address: string, onDone: (file: File, answer: unknown) => void) {
  const uploads = signal<readonly Upload[]>([]);
  let count = 0;
  let isSending = false;

  const change = (id: number, state: Upload['state'] | null): void => {
    uploads.value = uploads.value.flatMap((one) =>
      one.id !== id ? [one] : state === null ? [] : [{ ...one, state }],
    );
  };
  const sendNext = async (): Promise<void> => {
    const next = uploads.value.find(({ state }) => state === 'waiting');
    if (isSending || next === undefined) return;
    isSending = true;
    change(next.id, { share: 0 });
    const sent = await sendForm(address, formOf(next), next.stop.signal, (share) =>
      change(next.id, { share }),
    );
    isSending = false;
    if (sent.state === 'done') onDone(next.file, sent.answer);
    const isOver = sent.state === 'done' || sent.state === 'stopped';
    change(next.id, isOver ? null : { refused: describeFailure(sent) });
    await sendNext();
  };
  return {
    uploads,
    /** Adds files. A slot takes the first file only, which replaces a rejected file of the slot. */
    add(target: Upload['target'], files: Iterable<File>): void {
      const isSlot = target !== 'screenshots';
      const accepted = isSlot ? [...files].slice(0, 1) : [...files];
      const added = accepted.map((file): Upload => {
        count++;
        return { id: count, target, file, stop: new AbortController(), state: 'waiting' };
      });
      const kept = uploads.value.filter(
        (one) => !(isSlot && one.target === target && isRefused(one)),
      );
      uploads.value = [...kept, ...added];
      void sendNext();
    },
    /** Aborts an upload, or removes it from the list if it is waiting or rejected. */
    stop(upload: Upload): void {
      upload.stop.abort();
      if (upload.state === 'waiting' || isRefused(upload)) change(upload.id, null);
    },
    /** Sends a rejected file again. */
    retry(upload: Upload): void {
      change(upload.id, 'waiting');
      void sendNext();
    },
  };
}

function formOf({ target, file }: Upload): FormData {
  const form = new FormData();
  form.set('metadata', '{}');
  form.set(target, file);
  return form;
}

function isRefused({ state }: Upload): boolean {
  return typeof state === 'object' && 'refused' in state;
}

/** The message for a request that was not successful. */
export function describeFailure(sent: Exclude<Sent, { state: 'done' }>): string {
  switch (sent.state) {
    case 'refused':
      return [sent.message, ...sent.findings.map(({ message }) => message)].join(' ');
    case 'signed-out':
      return 'Your session has ended. Sign in in another tab, then try again.';
    case 'stopped':
      return 'Stopped.';
    case 'unreachable':
      return 'The store can’t be reached. Try again in a moment.';
  }
}
