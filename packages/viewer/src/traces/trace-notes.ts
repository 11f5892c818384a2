// The notes of the main trace: those of its bytes, and the changes that the user made in this page. Exports contain both.
import { computed, signal } from '@preact/signals';
import { type NoteRecord, openChanges, withChanges } from '@svc/trace';
import { mainTrace, traceId } from './open-traces.ts';

type Changes = {
  /** The id of the trace that they belong to. */
  readonly trace: string;
  readonly list: readonly NoteRecord[];
  /** The number of changes that an exported file has. */
  readonly exported: number;
  /** The number of changes that the agent has, or has refused. */
  readonly sent: number;
  /** Whether the agent has refused a change. */
  readonly isRefused: boolean;
};

const NO_CHANGES: Changes = { trace: '', list: [], exported: 0, sent: 0, isRefused: false };
const made = signal(NO_CHANGES);

const current = computed(() => (made.value.trace === traceId.value ? made.value : NO_CHANGES));

/** The changes of this page to the notes of the main trace, in order. A change is the new version of a note. */
export const noteChanges = computed(() => current.value.list);

/** The notes of the main trace, by time. */
export const notes = computed<readonly NoteRecord[]>(() =>
  withChanges(mainTrace.value?.notes ?? [], noteChanges.value),
);

/** The changes that are neither in the bytes of the trace nor in a file that the user exported. */
export const unexportedNotes = computed(() =>
  openChanges(mainTrace.value?.notes ?? [], current.value.list.slice(current.value.exported)),
);

/** Whether the main trace has times that a note can be about. */
export const canTakeNotes = computed(() => (mainTrace.value?.durationMs ?? 0) > 0);

/** Adds a note, or replaces the one with the same id. */
export function changeNote(note: Omit<NoteRecord, 'type' | 'source'>): void {
  const sources = mainTrace.value?.sources ?? [];
  const source = sources.length > 1 && sources[0] !== undefined ? { source: sources[0] } : {};
  const change: NoteRecord = { type: 'note', ...note, ...source };
  const { list } = current.value;
  made.value = { ...current.value, trace: traceId.value, list: [...list, change] };
}

/** Removes a note. */
export function removeNote({ id, t }: NoteRecord): void {
  changeNote({ id, t, text: '' });
}

/** Returns an id that no note of the trace has. */
export function newNoteId(): string {
  const used = new Set([...notes.value, ...noteChanges.value].map(({ id }) => String(id)));
  for (;;) {
    const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
    const id = number.toString(16).padStart(8, '0');
    if (!used.has(id)) return id;
  }
}

/** Records that a file with the first `count` changes of a trace was exported. */
export function noteExported(trace: string, count: number): void {
  if (made.value.trace === trace) made.value = { ...made.value, exported: count };
}

/** The changes that were not sent to the agent yet. */
export const unsentNotes = computed(() => current.value.list.slice(current.value.sent));

/** Records that the agent has the next `count` unsent changes of a trace, or has refused them. */
export function noteSent(trace: string, count: number, isRefused: boolean): void {
  const { sent } = made.value;
  if (made.value.trace !== trace) return;
  made.value = { ...made.value, sent: sent + count, isRefused: isRefused || made.value.isRefused };
}

/** Whether the agent has refused a change, so that notes are in this page only. */
export const isNoteRefused = computed(() => current.value.isRefused);

/** Whether closing the page would lose notes: they are in no file, and the agent does not have them. */
export const wouldLoseNotes = computed(
  () => unexportedNotes.value.length > 0 && (unsentNotes.value.length > 0 || isNoteRefused.value),
);
