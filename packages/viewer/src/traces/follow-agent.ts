// Shows the trace that the agent holds, and fetches what is new while it grows: at most once a second, one request at a time.
import { effect, untracked } from '@preact/signals';
import { engineFor } from '../client/engine-client.ts';
import { capturing, sessionToken, status } from '../client/session.ts';
import type { TraceCalls } from '../client/trace-calls.ts';
import { WorkerFault } from '../client/worker-calls.ts';
import { notify } from '../state/notices.ts';
import { wasHandedOver } from './open-file.ts';
import { followsAgent, mainTrace, openedFile, openTrace } from './open-traces.ts';

const engine = engineFor<TraceCalls>();

type Held = {
  readonly identity: string;
  readonly bytes: number;
  readonly name: string;
  readonly imported: boolean;
};
type Summary = NonNullable<typeof status.value>['trace'];

/** Faults of the connection, not of what came over it: the next second may be better. */
const PASSING: ReadonlySet<string> = new Set(['agent', 'failed', 'aborted']);

let shown: Held | null = null;
/** The trace that this page gave up in its middle. */
let stopped: string | null = null;
let latest: Held | null = null;
let busy = false;

/** Watches the session from now on. */
export function followAgentTrace(): void {
  effect(() => {
    latest = held(status.value?.trace ?? null);
    untracked(() => void follow());
  });
}

function held(trace: Summary): Held | null {
  if (trace === null) return null;
  // A recording loses the last part of its name when it ends, and is still the same one.
  const path = trace.path?.replace(/\.partial$/, '') ?? '';
  const identity = `${trace.origin}/${trace.name}/${path}/${trace.started_at ?? ''}`;
  return { identity, bytes: trace.bytes, name: trace.name, imported: trace.origin === 'import' };
}

/** Goes on until what is shown is what was heard last: a word that came meanwhile may have been the agent's last. */
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
  // An agent that has ended gives out the rest of its recording and then closes: nothing else can be opened.
  else if (status.peek()?.state !== 'ended') await openAnew(now);
}

async function grow(now: Held): Promise<void> {
  const info = await engine
    .call('grow', { token: sessionToken(), growing: capturing.value })
    .catch((error: unknown) => {
      if (error instanceof WorkerFault && !PASSING.has(error.fault.code)) stopFollowing(now, error);
      return null;
    });
  // A file that was opened meanwhile stays.
  if (info === null || !followsAgent.value) return;
  shown = now;
  mainTrace.value = info;
}

/** What was read stays on the page; there is no way past what could not be read. */
function stopFollowing({ identity }: Held, { message }: WorkerFault): void {
  stopped = identity;
  notify('warn', `The view of the running capture stops here. ${message}. The recording goes on.`);
}

async function openAnew(now: Held): Promise<void> {
  shown = now;
  // What this page has handed over itself is on the screen already, or was before the file that is there now.
  if (now.imported && wasHandedOver(now.name, now.bytes) && openedFile.value !== null) return;
  openedFile.value = null;
  const opened = await openTrace('main', {
    kind: 'agent',
    token: sessionToken(),
    name: now.name,
    growing: capturing.value,
  });
  if (!opened) shown = null;
}
