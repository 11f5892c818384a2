// The open traces: the main trace and the one that it is compared with.
import { computed, signal } from '@preact/signals';
import { engineFor } from '../client/engine-client.ts';
import { capturing } from '../client/session.ts';
import type { Slot, TraceCalls, TraceInfo, TraceOrigin } from '../client/trace-calls.ts';
import { WorkerError } from '../client/worker-calls.ts';
import type { Fault } from '../client/worker-messages.ts';
import { momentRange, selection, type View, view } from '../state/address.ts';
import { notify } from '../state/notices.ts';

const engine = engineFor<TraceCalls>();

/** A trace that is being opened. `done` and `total` are bytes. */
type Opening = {
  readonly slot: Slot;
  readonly name: string;
  readonly done: number;
  readonly total: number | null;
  readonly cancel: AbortController;
};

export const mainTrace = signal<TraceInfo | null>(null);
export const otherTrace = signal<TraceInfo | null>(null);
export const opening = signal<Opening | null>(null);
/** Why the last file was refused. Stays until the user dismisses it or opens another file. */
export const refusal = signal<{
  readonly name: string;
  readonly fault: Fault;
} | null>(null);
/** Whether the page shows the agent's trace and follows it. */
export const followsAgent = computed(() => mainTrace.value?.origin === 'agent');

/** The id of the main trace. It stays the same while the trace grows. Empty if no trace is open. */
export const traceId = computed(() => mainTrace.value?.id ?? '');

/** A running capture is derived anew each time it is longer by this time, by views that read the whole trace. */
const GROWN_MS = 5000;

/** Changes when views that read the whole trace must derive it again: for a running capture only every five seconds. */
export const traceLength = computed(() => {
  const trace = mainTrace.value;
  if (trace === null) return '';
  return capturing.value && trace.origin === 'agent'
    ? `${Math.floor(trace.durationMs / GROWN_MS)}`
    : `${trace.revision} whole`;
});

/** Returns whether the main trace has records of a type. */
export function has(type: string): boolean {
  return (mainTrace.value?.counts[type] ?? 0) > 0;
}

/**
 * Opens a trace into a slot. Returns null, or the fault if the trace was refused or cancelled. The previous trace then
 * stays.
 */
export async function openTrace(slot: Slot, origin: TraceOrigin): Promise<Fault | null> {
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
    return null;
  } catch (error) {
    return refuse(origin.name, error);
  } finally {
    if (opening.value?.cancel === cancel) opening.value = null;
  }
}

function show(slot: Slot, info: TraceInfo): void {
  if (slot === 'other') {
    otherTrace.value = info;
    return;
  }
  const before = traceId.peek();
  const chosen = view.value === automaticView ? 'overview' : view.value;
  const another = before !== '' && before !== info.id;
  // A range of one trace has no meaning in another. The range in the address applies to the first trace that opens.
  if (another || (before !== '' && (selection.value?.from ?? 0) >= info.durationMs)) {
    selection.value = null;
    momentRange.value = null;
  }
  if ((momentRange.value?.from ?? 0) > info.durationMs) {
    momentRange.value = null;
    notify(
      'warn',
      'The address leads to a moment after the end of this trace. Open its own trace.',
    );
  }
  mainTrace.value = info;
  view.value = bestView(info, chosen);
  automaticView = view.value === chosen ? null : view.value;
}

/** The view that was chosen for the open trace, instead of by the user. Null if it is the user's. */
let automaticView: View | null = null;

/** Whether the user chose the current view. */
export function isChosenView(): boolean {
  return view.value !== automaticView;
}

/**
 * Returns the best view for a trace: the one that the user chose, otherwise the overview. Two weights are compared, stacks
 * without times have a view of their own, and a running capture is shown as it grows.
 */
function bestView(info: TraceInfo, chosen: View): View {
  if (info.twoWeights && (chosen === 'overview' || chosen === 'timeline')) return 'compare';
  const timed = Object.keys(info.counts).some((type) => type !== 'stacks' && type !== 'end');
  const stacks = (info.counts['stacks'] ?? 0) > 0;
  if (!timed && stacks && (chosen === 'timeline' || chosen === 'overview')) return 'stacks';
  if (chosen === 'overview' && info.origin === 'agent' && capturing.peek()) return 'timeline';
  return chosen;
}

function refuse(name: string, error: unknown): Fault {
  const fault: Fault =
    error instanceof WorkerError
      ? error.fault
      : { code: 'failed', message: String(error), line: null, column: null };
  if (fault.code === 'aborted') notify('info', `Stopped opening ${name}.`);
  else refusal.value = { name, fault };
  return fault;
}

/** Closes the trace that the main trace is compared with. */
export function closeOther(): void {
  otherTrace.value = null;
  void engine.call('close', { slot: 'other' });
}
