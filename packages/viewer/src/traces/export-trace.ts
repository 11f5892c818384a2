// Exports the open trace as `.vpt`.

import { messageOf } from '@svc/contracts/caught';
import { openChanges } from '@svc/trace';
import { engineFor } from '../client/engine-client.ts';
import type { TraceCalls } from '../client/trace-calls.ts';
import { notify } from '../state/notices.ts';
import { mainTrace } from './open-traces.ts';
import { noteChanges, noteExported } from './trace-notes.ts';

const engine = engineFor<TraceCalls>();

/** Saves the main trace as `.vpt`: its original bytes, or the conversion of a file in another format, with the notes of this page. */
export async function exportTrace(): Promise<void> {
  const trace = mainTrace.value;
  if (trace === null) return;
  try {
    const changes = noteChanges.value;
    const added = openChanges(trace.notes, changes);
    const bytes = await engine.call('vpt', { slot: 'main', notes: added });
    saveFile(bytes, `${fileStem(trace.name)}.vpt`);
    noteExported(trace.id, changes.length);
    if (trace.partial)
      notify('info', 'Saved. The recording has not ended, so the file opens as partial.');
  } catch (error) {
    notify('bad', messageOf(error));
  }
}

/** Returns a file name without extension, reduced to characters that every file system accepts. */
export function fileStem(name: string): string {
  const stem = name
    .replace(/\.gz$/i, '')
    .replace(/\.(vpt|folded|collapsed|stacks|txt|cpuprofile|json|csv)(\.partial)?$/i, '');
  return stem.replaceAll(/[^\p{L}\p{N}._ -]+/gu, '-').slice(0, 100) || 'trace';
}

/** Downloads bytes as a file. */
export function saveFile(bytes: Blob, name: string): void {
  const address = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
