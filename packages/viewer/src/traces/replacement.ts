// Asks before another trace takes the place of the main trace, if notes would be lost.
import { signal } from '@preact/signals';
import { discardNotes, hasUnexportedNotes } from './trace-notes.ts';

type Replacement = {
  /** The name of the other trace. */
  readonly name: string;
  readonly open: () => void;
  readonly cancel: () => void;
};

/** The trace that waits for the user's answer. */
export const replacement = signal<Replacement | null>(null);

/** Returns whether the main trace may be replaced now. Otherwise asks, and calls `open` or `cancel` later. */
export function mayReplace(other: Replacement): boolean {
  if (!hasUnexportedNotes.value) return true;
  replacement.value = other;
  return false;
}

/** Takes the user's answer. Notes that were not exported are lost with `open`. */
export function answerReplacement(answer: 'open' | 'cancel'): void {
  const other = replacement.value;
  replacement.value = null;
  if (answer === 'open') discardNotes();
  other?.[answer]();
}
