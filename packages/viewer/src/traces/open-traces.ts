// The traces that are open: the one looked at and the one it is compared with, and how one gets there.
import { computed, signal } from '@preact/signals';
import { engineFor } from '../client/engine-client.ts';
import type { Slot, TraceCalls, TraceInfo, TraceOrigin } from '../client/trace-calls.ts';
import { WorkerFault } from '../client/worker-calls.ts';
import { selection, view } from '../state/address.ts';
import { notify } from '../state/notices.ts';

const engine = engineFor<TraceCalls>();

/** A trace on its way in. `done` and `total` are bytes. */
export type Opening = {
  readonly slot: Slot;
  readonly name: string;
  readonly done: number;
  readonly total: number | null;
  readonly cancel: AbortController;
};

export const mainTrace = signal<TraceInfo | null>(null);
export const otherTrace = signal<TraceInfo | null>(null);
export const opening = signal<Opening | null>(null);
/** Why the last file was refused; stands until it is dismissed or another file opens. */
export const refusal = signal<{
  readonly name: string;
  readonly fault: WorkerFault['fault'];
} | null>(null);
/** The file that the page opened by itself and that the agent does not hold. */
export const openedFile = signal<File | null>(null);
/** Whether the page shows what the agent holds, and goes on when that grows. */
export const followsAgent = computed(() => mainTrace.value?.origin === 'agent');

/** Tells one trace from another, and stays the same while it grows. */
export const traceIdentity = computed(() => {
  const trace = mainTrace.value;
  return trace === null ? '' : identityOf(trace);
});

function identityOf({ origin, name, startedAt }: TraceInfo): string {
  return `${origin}/${name}/${startedAt ?? ''}`;
}

/** Whether there is a trace with anything of a kind in it. */
export function has(type: string): boolean {
  return (mainTrace.value?.counts[type] ?? 0) > 0;
}

/** Opens a trace into a slot. False where it was refused or cancelled; then what was open stays. */
export async function openTrace(slot: Slot, origin: TraceOrigin): Promise<boolean> {
  opening.value?.cancel.abort();
  const cancel = new AbortController();
  const total = origin.kind === 'file' ? origin.file.size : null;
  const about = { slot, name: origin.name, cancel };
  opening.value = { ...about, done: 0, total };
  refusal.value = null;
  try {
    const info = await engine.call(
      'open',
      { slot, origin },
      {
        signal: cancel.signal,
        progress: (done, all) => {
          if (opening.value?.cancel === cancel)
            opening.value = { ...about, done, total: all ?? total };
        },
      },
    );
    show(slot, info);
    return true;
  } catch (error) {
    refuse(origin.name, error);
    return false;
  } finally {
    if (opening.value?.cancel === cancel) opening.value = null;
  }
}

function show(slot: Slot, info: TraceInfo): void {
  if (slot === 'other') {
    otherTrace.value = info;
    return;
  }
  const before = traceIdentity.peek();
  const another = before !== '' && before !== identityOf(info);
  // A stretch of one trace says nothing of another; the one in the address is for the first that opens.
  if (another || (before !== '' && (selection.value?.from ?? 0) >= info.durationMs)) {
    selection.value = null;
  }
  mainTrace.value = info;
  view.value = bestView(info);
}

/** The view that says most about a trace: the one that is on where it has something to show. */
function bestView(info: TraceInfo): typeof view.value {
  if (info.twoWeights && view.value === 'timeline') return 'compare';
  const timed = Object.keys(info.counts).some((type) => type !== 'stacks' && type !== 'end');
  const stacks = (info.counts['stacks'] ?? 0) > 0;
  if (view.value === 'timeline' && !timed && stacks) return 'stacks';
  return view.value;
}

function refuse(name: string, error: unknown): void {
  if (error instanceof WorkerFault && error.fault.code === 'aborted') {
    notify('info', `Stopped opening ${name}.`);
    return;
  }
  const fault =
    error instanceof WorkerFault
      ? error.fault
      : { code: 'failed' as const, message: String(error), line: null, column: null };
  refusal.value = { name, fault };
}

/** Forgets the trace that the open one is compared with. */
export function closeOther(): void {
  otherTrace.value = null;
  void engine.call('close', { slot: 'other' });
}
