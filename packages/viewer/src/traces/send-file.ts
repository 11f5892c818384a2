// Sends the file that the page shows to the agent, for other tools on this machine.
import { computed, signal } from '@preact/signals';
import { importTrace } from '@svc/contracts/agent';
import { convertToVpt } from '../client/engine-client.ts';
import { agent, connection, noteImported, status } from '../client/session.ts';
import { describeError } from '../format/describe-error.ts';
import { formatBytes } from '../format/numbers.ts';
import { notify } from '../state/notices.ts';
import { followsAgent, mainTrace, traceId } from './open-traces.ts';

/** Whether a file is being sent. The id that the agent gives to it is not known yet. */
export const isSending = signal(false);

/** The files that this page sent: the id that the agent gave to each, by the id of its trace in this page. */
const sent = signal<ReadonlyMap<string, string>>(new Map());

/** Returns whether this page sent the agent's trace with this id. */
export function wasSentByPage(id: string): boolean {
  return [...sent.value.values()].includes(id);
}

/** The agent's id of the main trace. Null if the agent does not hold it. */
export const idAtAgent = computed<string | null>(() => {
  const id = followsAgent.value ? traceId.value : sent.value.get(traceId.value);
  return id !== undefined && id === status.value?.trace?.id ? id : null;
});

/** Files are sent one after another. A file that was replaced meanwhile is not sent. */
let sending: Promise<void> = Promise.resolve();

/** Sends a file, converted to `.vpt` if needed. `id` is the id of its trace in this page. */
export function sendFile(file: File, id: string): void {
  sending = sending.then(() => send(file, id));
}

async function send(file: File, id: string): Promise<void> {
  const trace = mainTrace.value;
  if (trace?.id !== id) return;
  if (connection.value !== 'live' && connection.value !== 'polling') return;
  try {
    const isPlain = trace.format === 'vpt' && !trace.compressed;
    const bytes = isPlain ? file : await convertToVpt(file);
    if (traceId.value !== id) return;
    const limit = status.value?.limits.import_bytes ?? Number.POSITIVE_INFINITY;
    if (bytes.size > limit) {
      notify(
        'warn',
        `Shown in this page only: as .vpt the file has ${formatBytes(bytes.size)}, and the agent accepts at most ${formatBytes(limit)}.`,
      );
      return;
    }
    isSending.value = true;
    const imported = await importTrace(agent(), bytes, file.name);
    sent.value = new Map([...sent.value, [id, imported.id]]);
    noteImported(imported);
  } catch (error) {
    if (traceId.value === id) notify('warn', `Shown in this page only: ${describeError(error)}`);
  } finally {
    isSending.value = false;
  }
}
