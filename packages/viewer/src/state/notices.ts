// Short messages about results and problems. Screen readers read them aloud.
import { signal } from '@preact/signals';

type Notice = {
  readonly id: number;
  readonly tone: 'info' | 'good' | 'warn' | 'bad';
  readonly text: string;
  /** A text that the user can copy by hand, and what it is, such as `link`. Null without one. */
  readonly copy: CopyByHand | null;
};

export type CopyByHand = { readonly text: string; readonly what: string };

export const notices = signal<readonly Notice[]>([]);
let next = 1;

/** Shows a message for ten seconds. Warnings and errors stay until the user closes them. */
export function notify(tone: Notice['tone'], text: string, copy: CopyByHand | null = null): void {
  const id = next++;
  notices.value = [...notices.value.slice(-3), { id, tone, text, copy }];
  if (tone === 'info' || tone === 'good') setTimeout(() => dismiss(id), 10_000);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
