// Shows the agent's trace, and fetches new parts while it grows: at most once a second, one request at a time.
import { effect, untracked } from '@preact/signals';
import { engineFor } from '../client/engine-client.ts';
import { capturing, sessionToken, status } from '../client/session.ts';
import type { TraceCalls } from '../client/trace-calls.ts';
import { WorkerError } from '../client/worker-calls.ts';
import { notify } from '../state/notices.ts';
import { wasSentByPage } from './open-file.ts';
import { followsAgent, mainTrace, openedFile, openTrace } from './open-traces.ts';

const engine = engineFor<TraceCalls>();

type Held = {
  readonly identity: string;
  readonly bytes: number;
  readonly name: string;
  readonly imported: boolean;
};
type Summary = NonNullable<typeof status.value>['trace'];

/** Errors of the connection. A later request may succeed. */
const PASSING: ReadonlySet<string> = new Set(['agent', 'failed', 'aborted']);

let shown: Held | null = null;
/** The identity of the trace that this page stopped following. */
let stopped: string | null = null;
let latest: Held | null = null;
let busy = false;

/** Follows the session from now on. */
export function followAgentTrace(): void {
  effect(() => {
    latest = held(status.value?.trace ?? null);
    untracked(() => void follow());
  });
}

function held(trace: Summary): Held | null {
  if (trace === null) return null;
  // A recording is renamed when it ends, and is still the same trace.
  const path = trace.path?.replace(/\.partial$/, '') ?? '';
  const identity = `${trace.origin}/${trace.name}/${path}/${trace.started_at ?? ''}`;
  return { identity, bytes: trace.bytes, name: trace.name, imported: trace.origin === 'import' };
}

/** Repeats until the latest status is shown, because a status that arrives meanwhile may be the agent's last. */
async function follow(): Promise<void> {
  if (busy) return;
  busy = true;
  try {
    for (let now: Held | null = null; latest !== null && latest !== now; ) {
      now = latest;
      await show(now);
    }
  } finally {
    busy = false;
  }
}

async function show(now: Held): Promise<void> {
  if (now.identity === stopped) return;
  const same = shown?.identity === now.identity;
  if (same && shown?.bytes === now.bytes) return;
  if (same && now.bytes > (shown?.bytes ?? 0) && followsAgent.value) await grow(now);
  // An agent that has ended only sends the rest of its recording. No other trace can be opened.
  else if (status.peek()?.state !== 'ended') await openAnew(now);
}

async function grow(now: Held): Promise<void> {
  const info = await engine
    .call('grow', { token: sessionToken(), growing: capturing.value })
    .catch((error: unknown) => {
      if (error instanceof WorkerError && !PASSING.has(error.fault.code)) stopFollowing(now, error);
      return null;
    });
  // A file that was opened meanwhile is kept.
  if (info === null || !followsAgent.value) return;
  shown = now;
  mainTrace.value = info;
}

/** Stops following a trace that cannot be read any further. What was read stays on the page. */
function stopFollowing({ identity }: Held, { message }: WorkerError): void {
  stopped = identity;
  notify(
    'warn',
    `This page no longer follows the running capture. ${message}. The recording continues.`,
  );
}

async function openAnew(now: Held): Promise<void> {
  shown = now;
  // The page already shows a trace that it has sent itself, or a file that was opened after it.
  if (now.imported && wasSentByPage(now.name, now.bytes) && openedFile.value !== null) return;
  openedFile.value = null;
  const opened = await openTrace('main', {
    kind: 'agent',
    token: sessionToken(),
    name: now.name,
    growing: capturing.value,
  });
  if (!opened) shown = null;
}
