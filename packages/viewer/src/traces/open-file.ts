// A file that a person drops or picks: drawn first, handed to the agent after, so that other tools on this machine see it too.
import { AgentError } from '@svc/contracts/agent';
import { engineFor } from '../client/engine-client.ts';
import { agent, connection, status } from '../client/session.ts';
import type { TraceCalls } from '../client/trace-calls.ts';
import { formatBytes } from '../format/numbers.ts';
import { notify } from '../state/notices.ts';
import { openedFile, openTrace, refusal } from './open-traces.ts';

const engine = engineFor<TraceCalls>();

/** Opens a file as the main trace and gives it to the agent, converted to `.vpt` where it is not one. */
export async function openFile(file: File): Promise<boolean> {
  if (status.value?.state === 'capturing') {
    refusal.value = {
      name: file.name,
      fault: {
        code: 'agent',
        message:
          'A capture is running. End it before you open a file, or open the file to compare with.',
        line: null,
        column: null,
      },
    };
    return false;
  }
  if (!(await openTrace('main', { kind: 'file', file, name: file.name }))) return false;
  openedFile.value = file;
  handing = handing.then(() => handToAgent(file));
  return true;
}

/** One file after another goes to the agent, and none that another one has replaced by then. */
let handing: Promise<void> = Promise.resolve();
const handedOver = new Set<string>();

/** Whether the agent's trace is one that this page gave it; says so once for each time that it did. */
export function wasHandedOver(name: string, bytes: number): boolean {
  return handedOver.delete(`${name}/${bytes}`);
}

/** Opens a file beside the main trace; it stays in this page. */
export function openOther(file: File): Promise<boolean> {
  return openTrace('other', { kind: 'file', file, name: file.name });
}

async function handToAgent(file: File): Promise<void> {
  if (connection.value !== 'live' && connection.value !== 'polling') return;
  if (openedFile.value !== file) return;
  try {
    // The worker that converts it is the one that draws: first comes what the person waits for.
    await engine.quiet();
    if (openedFile.value !== file) return;
    const bytes = await engine.call('vpt', { slot: 'main' });
    const limit = status.value?.limits.import_bytes ?? Number.POSITIVE_INFINITY;
    if (bytes.size > limit) {
      notify(
        'warn',
        `Shown here only: as .vpt it is ${formatBytes(bytes.size)}, and the agent takes ${formatBytes(limit)}.`,
      );
      return;
    }
    if (openedFile.value !== file) return;
    handedOver.add(`${file.name}/${bytes.size}`);
    await agent().importTrace(bytes, file.name);
  } catch (error) {
    const reason = error instanceof AgentError ? describe(error) : String(error);
    notify('warn', `Shown here only: ${reason}`);
  }
}

/** What the agent refused and where. */
export function describe(error: AgentError): string {
  const place = error.line === null ? '' : ` (line ${error.line}, column ${error.column ?? 1})`;
  return `${error.message}${place}`;
}
