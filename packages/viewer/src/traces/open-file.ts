// Opens a file that the user drops or picks.
import { status } from '../client/session.ts';
import { openTrace, refusal } from './open-traces.ts';
import { sendFile } from './send-file.ts';

let filesOpened = 0;

/** Returns another id for each opened file, also for the same file again. */
function newId(): string {
  return `file-${++filesOpened}`;
}

/** Opens a file as the main trace, and sends it to the agent. Returns whether it was opened. */
export async function openFile(file: File): Promise<boolean> {
  if (status.value?.state === 'capturing') {
    refusal.value = {
      name: file.name,
      fault: {
        code: 'agent',
        message:
          'A capture is running. End it before you open a file, or open the file in Compare.',
        line: null,
        column: null,
      },
    };
    return false;
  }
  const id = newId();
  const fault = await openTrace('main', { kind: 'file', id, name: file.name, file });
  if (fault === null) sendFile(file, id);
  return fault === null;
}

/** Opens a file beside the main trace. It stays in this page. Returns whether it was opened. */
export async function openOther(file: File): Promise<boolean> {
  return (await openTrace('other', { kind: 'file', id: newId(), name: file.name, file })) === null;
}
