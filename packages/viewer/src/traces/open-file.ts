// Opens a file that the user drops, picks or pastes.
import type { Fault } from '../client/worker-messages.ts';
import { view } from '../state/address.ts';
import { isChosenView, mainTrace, openTrace, refusal } from './open-traces.ts';
import { mayReplace } from './replacement.ts';

/** What the host of the page does with files that the user opens. A page without a host only shows them. */
export type FileHost = {
  /** Returns why no file can be opened now, or null. */
  refuse(): Fault | null;
  /** Receives each file that the page shows as its main trace. `id` is the id of the trace. */
  take(file: File, id: string): void;
};

let host: FileHost | null = null;
let filesOpened = 0;

/** Sets the host of the page. */
export function connectFiles(to: FileHost): void {
  host = to;
}

/** Returns another id for each opened file, also for the same file again. */
function newId(): string {
  return `file-${++filesOpened}`;
}

/** Opens a file as the main trace. Returns whether it was opened. Asks first if notes would be lost. */
export async function openFile(file: File): Promise<boolean> {
  const open = (): Promise<boolean> => replaceTrace(file);
  const isAllowed = mayReplace({ name: file.name, open: () => void open(), cancel: () => {} });
  return isAllowed && open();
}

async function replaceTrace(file: File): Promise<boolean> {
  const refused = host?.refuse() ?? null;
  if (refused !== null) {
    refusal.value = { name: file.name, fault: refused };
    return false;
  }
  const id = newId();
  const fault = await openTrace('main', { kind: 'file', id, name: file.name, file });
  if (fault === null) host?.take(file, id);
  return fault === null;
}

/** Opens a file beside the main trace. It stays in this page. Returns whether it was opened. */
export async function openOther(file: File): Promise<boolean> {
  return (await openTrace('other', { kind: 'file', id: newId(), name: file.name, file })) === null;
}

/** Whether the next file is opened beside the main trace, because the page compares. */
export function isComparing(): boolean {
  return view.value === 'compare' && isChosenView() && mainTrace.value !== null;
}

/** Opens a file beside the main trace while the page compares, else as the main trace. Returns whether it was opened. */
export function openHere(file: File): Promise<boolean> {
  return isComparing() ? openOther(file) : openFile(file);
}
