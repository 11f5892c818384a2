// Keeps the text of a dialog that was closed without saving, for the next time that it opens for the same note.
import type { Draft } from '../../notes/edit-note.ts';
import type { NoteFields } from './read-note.ts';

type Text = Pick<NoteFields, 'title' | 'details'>;

let kept: { readonly key: string; readonly text: Text } | null = null;

/** All new notes of a trace share a text. */
function keyOf({ trace, note }: Draft): string {
  return note === null ? `${trace} new` : `${trace} ${typeof note.id} ${note.id}`;
}

/** Keeps the text of a draft, or with null forgets it. */
export function keepText(draft: Draft, text: Text | null): void {
  kept =
    text === null
      ? null
      : { key: keyOf(draft), text: { title: text.title, details: text.details } };
}

/** The text that was kept for a draft; null if there is none. */
export function keptText(draft: Draft): Text | null {
  return kept?.key === keyOf(draft) ? kept.text : null;
}
