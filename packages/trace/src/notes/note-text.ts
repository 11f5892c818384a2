// A note as text.
import type { NoteRecord } from '../format/records.ts';

/** The first line of a note, without white space around it. If that is empty, the first line that is not. */
export function noteTitle({ text }: Pick<NoteRecord, 'text'>): string {
  return firstLine(text)?.trim() ?? '';
}

/** The lines after the title, without white space around them. Empty if there are none. */
export function noteBody({ text }: Pick<NoteRecord, 'text'>): string {
  const title = firstLine(text);
  return title === undefined ? '' : text.slice(text.indexOf(title) + title.length).trim();
}

function firstLine(text: string): string | undefined {
  return text.split(/\r\n|\r|\n/).find((line) => line.trim() !== '');
}
