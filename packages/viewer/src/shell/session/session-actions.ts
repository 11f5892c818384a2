// Starts the capture and ends the session, after confirmation if needed.
import { signal } from '@preact/signals';
import { agent, capturing, noteEnded, status, take } from '../../client/session.ts';
import { describeError } from '../../format/describe-error.ts';
import { view } from '../../state/address.ts';
import { notify } from '../../state/notices.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { discardNotes } from '../../traces/trace-notes.ts';

export const asksToStart = signal(false);
export const asksToEnd = signal(false);

/** Starts the capture. Asks first if it would replace a trace. */
export function askToStart(): void {
  if (status.value?.target == null || capturing.value) return;
  if (status.value.trace !== null || mainTrace.value !== null) asksToStart.value = true;
  else void start();
}

/** Starts the capture. */
export async function start(): Promise<void> {
  asksToStart.value = false;
  try {
    take(await agent().call('start', {}));
    // The user has confirmed that the recording replaces the trace.
    discardNotes();
    view.value = 'timeline';
  } catch (error) {
    say(error);
  }
}

export function askToEnd(): void {
  asksToEnd.value = true;
}

/** Ends the session. The agent writes the rest of its recording and closes. */
export async function end(): Promise<void> {
  asksToEnd.value = false;
  try {
    noteEnded(await agent().call('off', {}));
  } catch (error) {
    say(error);
  }
}

function say(error: unknown): void {
  notify('bad', describeError(error));
}
