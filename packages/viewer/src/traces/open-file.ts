// Opens a file that the user drops or picks. It is shown first, and then sent to the agent for other tools on this
// machine.
import { AgentError } from '@svc/contracts/agent';
import { engineFor } from '../client/engine-client.ts';
import { agent, connection, status } from '../client/session.ts';
import type { TraceCalls } from '../client/trace-calls.ts';
import { formatBytes } from '../format/numbers.ts';
import { notify } from '../state/notices.ts';
import { openedFile, openTrace, refusal } from './open-traces.ts';

const engine = engineFor<TraceCalls>();

/**
 * Opens a file as the main trace, and sends it to the agent, converted to `.vpt` if needed. Returns whether it was
 * opened.
 */
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
  if (!(await openTrace('main', { kind: 'file', file, name: file.name }))) return false;
  openedFile.value = file;
  sending = sending.then(() => sendToAgent(file));
  return true;
}

/** Files are sent one after another. A file that was replaced meanwhile is not sent. */
let sending: Promise<void> = Promise.resolve();
const sentToAgent = new Set<string>();

/** Returns whether this page sent the agent's trace. Returns true once for each time that it was sent. */
export function wasSentByPage(name: string, bytes: number): boolean {
  return sentToAgent.delete(`${name}/${bytes}`);
}

/** Opens a file beside the main trace. It stays in this page. */
export function openOther(file: File): Promise<boolean> {
  return openTrace('other', { kind: 'file', file, name: file.name });
}

async function sendToAgent(file: File): Promise<void> {
  if (connection.value !== 'live' && connection.value !== 'polling') return;
  if (openedFile.value !== file) return;
  try {
    // The same worker converts and draws. Drawing comes first, because the user waits for it.
    await engine.quiet();
    if (openedFile.value !== file) return;
    const bytes = await engine.call('vpt', { slot: 'main' });
    const limit = status.value?.limits.import_bytes ?? Number.POSITIVE_INFINITY;
    if (bytes.size > limit) {
      notify(
        'warn',
        `Shown in this page only: as .vpt the file has ${formatBytes(bytes.size)}, and the agent accepts at most ${formatBytes(limit)}.`,
      );
      return;
    }
    if (openedFile.value !== file) return;
    sentToAgent.add(`${file.name}/${bytes.size}`);
    await agent().importTrace(bytes, file.name);
  } catch (error) {
    const reason = error instanceof AgentError ? describe(error) : String(error);
    notify('warn', `Shown in this page only: ${reason}`);
  }
}

/** Describes an error of the agent, with line and column if known. */
export function describe(error: AgentError): string {
  const place = error.line === null ? '' : ` (line ${error.line}, column ${error.column ?? 1})`;
  return `${error.message}${place}`;
}
