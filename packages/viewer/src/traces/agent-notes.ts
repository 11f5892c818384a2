// Sends the changes of notes to the agent that holds the main trace, so that its recording and its exports have them.
import { effect, untracked } from '@preact/signals';
import type { NoteRecord } from '@svc/trace';
import { agent, connection } from '../client/session.ts';
import { describeError } from '../format/describe-error.ts';
import { notify } from '../state/notices.ts';
import { changeAgentTrace } from './follow-agent.ts';
import { traceId } from './open-traces.ts';
import { idAtAgent } from './send-file.ts';
import { isNoteRefused, noteSent, unsentNotes } from './trace-notes.ts';

/** The most notes of one request. Together the longest ones fit into a request. */
const MOST_NOTES = 10;

let sending = false;

/** Sends every change from now on. */
export function sendNotesToAgent(): void {
  effect(() => {
    const isConnected = connection.value === 'live' || connection.value === 'polling';
    if (unsentNotes.value.length > 0 && isConnected && idAtAgent.value !== null) {
      untracked(() => void send());
    }
  });
}

/** Sends changes until the agent has all. Changes that it refuses stay in this page, and are not sent again. */
async function send(): Promise<void> {
  if (sending) return;
  sending = true;
  try {
    while (unsentNotes.value.length > 0 && idAtAgent.value !== null) {
      const trace = traceId.value;
      const next = unsentNotes.value.slice(0, MOST_NOTES);
      const fault = await sendNotes(next);
      const isFirst = !isNoteRefused.value;
      noteSent(trace, next.length, fault !== null);
      if (fault !== null && isFirst) {
        const advice = 'Export the trace to keep its notes.';
        notify('warn', `Your note is in this page only. ${fault}. ${advice}`);
      }
    }
  } finally {
    sending = false;
  }
}

/** Returns why the agent does not have the notes now, or null. */
async function sendNotes(list: readonly NoteRecord[]): Promise<string | null> {
  try {
    await changeAgentTrace(async () => {
      const answer = await agent().call('add_notes', { body: { notes: list.map(noteFields) } });
      return answer.trace;
    });
    // A capture may have replaced the trace just before.
    return idAtAgent.value === null ? 'The agent holds another trace now' : null;
  } catch (error) {
    return describeError(error).replace(/\.$/, '');
  }
}

function noteFields({ id, t, duration_ms, text }: NoteRecord) {
  return { id, t, text, ...(duration_ms !== undefined && { duration_ms }) };
}
