// The notes of the main trace: those of its bytes, and the changes that the user made in this page. Exports contain both.
import { computed, signal } from '@preact/signals';
import { type NoteRecord, openChanges, withChanges } from '@svc/trace';
import { mainTrace, traceId } from './open-traces.ts';

/** The new version of a note. */
type Change = {
  readonly note: NoteRecord;
  /** Whether the agent has it. `page`: it was not sent yet, or the page has no agent. */
  readonly at: 'page' | 'agent' | 'refused';
  readonly isExported: boolean;
};

type Changes = {
  /** The id of the trace that they belong to. */
  readonly trace: string;
  /** In order. Changes that the agent has are left out when its trace is read again. */
  readonly list: readonly Change[];
  /** Whether the bytes of the trace have notes that no file has, because the agent keeps them in memory. */
  readonly areInMemory: boolean;
};

const NO_CHANGES: Changes = { trace: '', list: [], areInMemory: false };
const made = signal(NO_CHANGES);

const current = computed(() => (made.value.trace === traceId.value ? made.value : NO_CHANGES));
const ownNotes = computed(() => mainTrace.value?.notes ?? []);

/** The changes of this page to the notes of the main trace, in order. */
export const noteChanges = computed(() => current.value.list.map(({ note }) => note));

/** The notes of the main trace, by time. */
export const notes = computed<readonly NoteRecord[]>(() =>
  withChanges(ownNotes.value, noteChanges.value),
);

/** Whether the trace has notes that no file has. */
export const hasUnexportedNotes = computed(
  () => current.value.areInMemory || openOf(({ isExported }) => !isExported).length > 0,
);

/** The trace of this page that the agent holds, by its id in this page; null if it holds another one or has ended. */
export const traceAtAgent = signal<string | null>(null);

/** Whether closing the page would lose notes: no file has them, and the agent does not have them either. */
export const wouldLoseNotes = computed(() =>
  traceAtAgent.value === traceId.value
    ? openOf(({ isExported, at }) => !isExported && at !== 'agent').length > 0
    : hasUnexportedNotes.value,
);

/** The first change that was not sent to the agent. */
export const nextUnsent = computed(
  () => current.value.list.find(({ at }) => at === 'page')?.note ?? null,
);

/** Whether the agent has refused a change, so that it is in this page only. */
export const isNoteRefused = computed(() => current.value.list.some(({ at }) => at === 'refused'));

/** Whether the main trace has times that a note can be about. */
export const canTakeNotes = computed(() => (mainTrace.value?.durationMs ?? 0) > 0);

function openOf(which: (change: Change) => boolean): NoteRecord[] {
  const list = current.value.list.filter(which).map(({ note }) => note);
  return openChanges(ownNotes.value, list);
}

/** Adds a note, or replaces the one with the same id. */
export function changeNote(note: Omit<NoteRecord, 'type' | 'source'>): void {
  const sources = mainTrace.value?.sources ?? [];
  const source = sources.length > 1 && sources[0] !== undefined ? { source: sources[0] } : {};
  const change = {
    note: { type: 'note', ...note, ...source },
    at: 'page',
    isExported: false,
  } as const;
  made.value = {
    ...current.value,
    trace: traceId.value,
    list: [...current.value.list, change],
  };
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

/** Records that a file was exported that has the first `count` changes of a trace. */
export function noteExported(trace: string, count: number): void {
  if (made.value.trace !== trace) return;
  const list = made.value.list.map((change, index) =>
    index < count ? { ...change, isExported: true } : change,
  );
  made.value = { ...made.value, list, areInMemory: false };
}

/** Records that the agent has a change of a trace, or has refused it. */
export function noteSent(trace: string, note: NoteRecord, at: 'agent' | 'refused'): void {
  if (made.value.trace !== trace) return;
  const list = made.value.list.map((change) => (change.note === note ? { ...change, at } : change));
  made.value = { ...made.value, list };
}

/**
 * Records that the agent's trace was read with the notes that the agent has in memory. They are the newest, also where another page
 * has changed a note of this page.
 */
export function noteReadAgain(trace: string): void {
  const { list } = made.value.trace === trace ? made.value : NO_CHANGES;
  made.value = { trace, list: list.filter(({ at }) => at !== 'agent'), areInMemory: true };
}

/** Forgets the changes of this page, after the user has agreed. */
export function discardNotes(): void {
  made.value = NO_CHANGES;
}
