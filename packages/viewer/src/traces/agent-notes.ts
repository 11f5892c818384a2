// Sends the changes of notes to the agent that holds the main trace, so that its recording and its exports have them.
import { effect, untracked } from '@preact/signals';
import { AgentError } from '@svc/contracts/agent';
import type { NoteRecord } from '@svc/trace';
import { agent, connection } from '../client/session.ts';
import { describeError } from '../format/describe-error.ts';
import { notify } from '../state/notices.ts';
import { changeAgentTrace } from './follow-agent.ts';
import { traceId } from './open-traces.ts';
import { idAtAgent } from './send-file.ts';
import { isNoteRefused, nextUnsent, noteSent, traceAtAgent } from './trace-notes.ts';

/** The time after which a note is sent again that the agent could not take at that moment. */
const RETRY_MS = 1000;

/** Answers that a later request may not get. */
const PASSING: ReadonlySet<AgentError['code']> = new Set([
  'busy',
  'request_timeout',
  'deadline_exceeded',
  'unreachable',
  'unreadable',
  'internal',
]);

let sending = false;

/** Sends every change from now on. */
export function sendNotesToAgent(): void {
  effect(() => {
    const isConnected = connection.value === 'live' || connection.value === 'polling';
    const isHeld = idAtAgent.value !== null && connection.value !== 'ended';
    traceAtAgent.value = isHeld ? traceId.value : null;
    if (nextUnsent.value !== null && isConnected && isHeld) untracked(() => void send());
  });
}

/** Sends one change after another until the agent has all. One that it refuses stays in this page, and is not sent again. */
async function send(): Promise<void> {
  if (sending) return;
  sending = true;
  try {
    for (let note = nextUnsent.value; note !== null; note = nextUnsent.value) {
      const trace = traceId.value;
      if (traceAtAgent.value !== trace) return;
      const error = await sendNote(note);
      if (error instanceof AgentError && PASSING.has(error.code)) {
        setTimeout(() => void send(), RETRY_MS);
        return;
      }
      const isFirst = !isNoteRefused.value;
      noteSent(trace, note, error === null ? 'agent' : 'refused');
      if (error !== null && isFirst) {
        const fault = describeError(error).replace(/\.$/, '');
        const advice = 'Export the trace to keep its notes.';
        notify('warn', `Your note is in this page only. ${fault}. ${advice}`);
      }
    }
  } finally {
    sending = false;
  }
}

/** Returns why the agent does not have the note, or null. */
async function sendNote(note: NoteRecord): Promise<unknown> {
  try {
    await changeAgentTrace(async () => {
      const answer = await agent().call('add_notes', { body: { notes: [noteFields(note)] } });
      return answer.trace;
    });
    return null;
  } catch (error) {
    return error;
  }
}

function noteFields({ id, t, duration_ms, text }: NoteRecord) {
  return { id, t, text, ...(duration_ms !== undefined && { duration_ms }) };
}
