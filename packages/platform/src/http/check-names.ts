// Rejects names that contain a word that the operator has blocked.
import type { BlockedWords } from '../blocked-words.ts';
import { failure } from '../failure.ts';

type Field = 'title' | 'slug' | 'name';

/** Throws `invalid_input` if the text of a field contains a blocked word. The message does not repeat the word. */
export function checkName(words: BlockedWords, field: Field, text: string): void {
  if (!words.isIn(text)) return;
  const message = `The ${field} contains a word that this platform does not allow. Choose another ${field}`;
  throw failure('invalid_input', message, { details: [{ path: `/${field}`, message }] });
}
