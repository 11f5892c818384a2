// Shows the agent's trace, and fetches new parts while it grows: at most once a second, one request at a time.
import { effect, signal, untracked } from '@preact/signals';
import type { TraceSummary } from '@svc/contracts/agent';
import { engineFor } from '../client/engine-client.ts';
import { capturing, sessionToken, status } from '../client/session.ts';
import type { TraceCalls } from '../client/trace-calls.ts';
import { WorkerError } from '../client/worker-calls.ts';
import { notify } from '../state/notices.ts';
import { followsAgent, mainTrace, openTrace, traceId } from './open-traces.ts';
import { mayReplace, replacement } from './replacement.ts';
import { isSending, wasSentByPage } from './send-file.ts';
import { noteReadAgain } from './trace-notes.ts';

const engine = engineFor<TraceCalls>();

/** Errors of the connection. A later request may succeed. */
const PASSING: ReadonlySet<string> = new Set(['agent', 'failed', 'aborted']);

type Fetched = Pick<TraceSummary, 'id' | 'bytes' | 'notes_revision'>;

/** The agent's trace that this page opened last, as far as it was fetched. */
let fetched: Fetched | null = null;
/** The id of the trace that this page stopped following. */
let stopped: string | null = null;
let latest: TraceSummary | null = null;
let busy = false;
/** Whether this page is changing the agent's trace. A status may then report the page's own change. */
const changing = signal(false);

/** Follows the session from now on. */
export function followAgentTrace(): void {
  effect(() => {
    const trace = status.value?.trace ?? null;
    // While a file is being sent, an imported trace may be that file. Its id is known when the agent has answered.
    const isOwn = trace?.origin === 'import' && isSending.value;
    latest = isOwn || (changing.value && !grows(trace)) ? null : trace;
    untracked(() => void follow());
  });
}

/**
 * Changes the agent's trace in a way that this page shows already, so that the change is not read again. A recording is
 * read as it grows. `change` returns the changed trace.
 */
export async function changeAgentTrace(change: () => Promise<TraceSummary>): Promise<void> {
  changing.value = true;
  try {
    const changed = await change();
    const isOnlyChange = changed.notes_revision === (fetched?.notes_revision ?? 0) + 1;
    if (changed.id === fetched?.id && isOnlyChange && !grows(changed)) fetched = changed;
  } finally {
    changing.value = false;
  }
}

/** Whether a trace is a recording, whose new bytes follow those before. Another trace changes before its end. */
function grows(trace: TraceSummary | null): boolean {
  return trace?.origin === 'capture';
}

/** Repeats until the latest status is shown, because a status that arrives meanwhile may be the agent's last. */
async function follow(): Promise<void> {
  if (busy) return;
  busy = true;
  try {
    for (let now: TraceSummary | null = null; latest !== null && latest !== now; ) {
      now = latest;
      await show(now);
    }
  } finally {
    busy = false;
  }
}

async function show(now: TraceSummary): Promise<void> {
  if (now.id === stopped) return;
  // The page shows the file itself, or a file that was opened after it.
  if (wasSentByPage(now.id) && !followsAgent.value) return;
  if (now.id === fetched?.id && !isNews(now, fetched)) return;
  if (now.id === traceId.value && grows(now)) await grow(now);
  // An agent that has ended only sends the rest of its recording. No other trace can be opened.
  else if (status.peek()?.state !== 'ended' && mayOpen(now)) await openAnew(now);
}

function isNews(now: TraceSummary, before: Fetched): boolean {
  return grows(now) ? now.bytes > before.bytes : now.notes_revision > before.notes_revision;
}

/** Whether the agent's trace may take the place of the main trace. Asks the user once if notes would be lost. */
function mayOpen(now: TraceSummary): boolean {
  if (now.id === traceId.value) return true;
  if (replacement.value !== null) return false;
  const { id, name } = now;
  return mayReplace({
    name,
    open: () => void follow(),
    cancel: () => {
      stopped = id;
      notify('info', `This page keeps its trace. Reload it to open ${name}.`);
    },
  });
}

async function grow(now: TraceSummary): Promise<void> {
  const info = await engine
    .call('grow', { token: sessionToken(), growing: capturing.value })
    .catch((error: unknown) => {
      if (error instanceof WorkerError && !PASSING.has(error.fault.code)) stopFollowing(now, error);
      return null;
    });
  // A file that was opened meanwhile is kept.
  if (info === null || now.id !== traceId.value) return;
  fetched = now;
  mainTrace.value = info;
}

/** Stops following a trace that cannot be read any further. What was read stays on the page. */
function stopFollowing({ id }: TraceSummary, { message }: WorkerError): void {
  stopped = id;
  notify(
    'warn',
    `This page no longer follows the running capture. ${message}. The recording continues.`,
  );
}

/** Opens the agent's trace. A trace whose opening was cancelled is opened again only if it grows. */
async function openAnew(now: TraceSummary): Promise<void> {
  fetched = now;
  const { id, name } = now;
  const token = sessionToken();
  const fault = await openTrace('main', {
    kind: 'agent',
    id,
    name,
    token,
    growing: capturing.value,
  });
  if (fault === null && now.notes_revision > 0) noteReadAgain(id);
  if (fault === null || fault.code === 'aborted') return;
  if (PASSING.has(fault.code)) fetched = null;
  else stopped = id;
}
