// The worker's answers: each call is answered by the function of the view that declares it.

import { AgentError } from '@svc/contracts/agent';
import { messageOf } from '@svc/contracts/caught';
import { TraceError } from '@svc/trace';
import type { Slot } from '../client/trace-calls.ts';
import type { Fault, FromWorker, ToWorker } from '../client/worker-messages.ts';
import { deriveAnalysis } from '../views/analysis/derive-analysis.ts';
import { reportAssets } from '../views/assets/report-assets.ts';
import { deriveBounds } from '../views/bounds/derive-bounds.ts';
import { deriveHeadline } from '../views/compare/derive-headline.ts';
import { deriveFrames } from '../views/frames/derive-frames.ts';
import { deriveMemory } from '../views/memory/derive-memory.ts';
import { deriveMoment } from '../views/moment/derive-moment.ts';
import { deriveOverview } from '../views/overview/derive-overview.ts';
import { StackViews } from '../views/stacks/stack-views.ts';
import { deriveSecond } from '../views/timeline/derive-second.ts';
import { deriveTimeline } from '../views/timeline/derive-timeline.ts';
import type { CallName, Calls } from './calls.ts';
import { type FetchMore, type Job, loadTrace } from './load.ts';
import type { LoadedTrace } from './loaded-trace.ts';
import { TooBigError } from './open-limits.ts';
import { convert, vptBytes } from './vpt-bytes.ts';

type Handlers = {
  readonly [Name in CallName]: (
    args: Calls[Name]['args'],
    job: Job,
  ) => Calls[Name]['result'] | Promise<Calls[Name]['result']>;
};

/** Reads the agent's trace. Null in a page without an agent. */
let agentTrace: FetchMore | null = null;

const fetchMore: FetchMore = (...args) => {
  if (agentTrace === null) throw new Error('This page has no agent');
  return agentTrace(...args);
};

const traces = new Map<Slot, LoadedTrace>();
const stackViews = new StackViews((slot) => traces.get(slot)?.model ?? null);

const handlers: Handlers = {
  open: async ({ slot, origin }, job) => {
    const trace = await loadTrace(origin, job, fetchMore);
    // A load that was cancelled at its end must not replace a newer one.
    job.signal.throwIfAborted();
    traces.set(slot, trace);
    stackViews.forget();
    return trace.info;
  },
  grow: async ({ token, growing }, job) => {
    const trace = need('main');
    if (trace.origin.kind !== 'agent') return null;
    const grew = await fetchMore(trace, token, growing, job);
    if (grew) stackViews.forget();
    return grew ? trace.info : null;
  },
  close: ({ slot }) => {
    traces.delete(slot);
    stackViews.forget();
    return null;
  },
  overview: ({ slot, budgetMs }) => deriveOverview(need(slot).model, budgetMs),
  timeline: ({ slot }) => deriveTimeline(need(slot).model),
  second: ({ slot, range }) => deriveSecond(need(slot).model, range),
  assets: ({ slot, range, budgetMs, most }) =>
    reportAssets(need(slot).model, budgetMs, range, most),
  analysis: ({ slot, budgetMs }) => deriveAnalysis(need(slot).model, budgetMs),
  frames: ({ slot, range, budgetMs }) => deriveFrames(need(slot).model, range, budgetMs),
  compare: ({ before, after, budgetMs }) =>
    deriveHeadline(
      { model: need('other').model, range: before },
      { model: need('main').model, range: after },
      budgetMs,
    ),
  memory: ({ slot }) => deriveMemory(need(slot).model),
  bounds: ({ slot, budgetMs }) => deriveBounds(need(slot).model, budgetMs),
  moment: ({ slot, range, budgetMs }) => deriveMoment(need(slot).model, range, budgetMs),
  vpt: ({ slot, notes }, job) => vptBytes(need(slot), notes, job),
  convert: ({ file }, job) => convert(file, job),
  ...stackViews.handlers,
};

function need(slot: Slot): LoadedTrace {
  const trace = traces.get(slot);
  if (trace === undefined) throw new Error('No trace is open');
  return trace;
}

const running = new Map<number, AbortController>();

/** Answers the page's calls from now on. `fromAgent` reads the agent's trace; null if the page has no agent. */
export function answerCalls(fromAgent: FetchMore | null): void {
  agentTrace = fromAgent;
  self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if ('cancel' in data)
      running.get(data.cancel)?.abort(new DOMException('Cancelled', 'AbortError'));
    else void run(data.id, data.name as CallName, data.args);
  };
}

async function run(id: number, name: CallName, args: unknown): Promise<void> {
  const cancel = new AbortController();
  running.set(id, cancel);
  const job: Job = {
    signal: cancel.signal,
    progress: (done, total) => answer({ id, done, total }),
  };
  try {
    const handle = handlers[name] as (args: unknown, job: Job) => unknown;
    answer({ id, value: await handle(args, job) });
  } catch (error) {
    answer({ id, fault: faultOf(error) });
  } finally {
    running.delete(id);
  }
}

function answer(message: FromWorker): void {
  self.postMessage(message);
}

function faultOf(error: unknown): Fault {
  if (error instanceof TraceError) {
    const { code, message, line, column } = error;
    return { code, message, line, column };
  }
  if (error instanceof AgentError) {
    return { code: 'agent', message: error.message, line: error.line, column: error.column };
  }
  if (error instanceof DOMException && error.name === 'AbortError') {
    return { code: 'aborted', message: 'Cancelled', line: null, column: null };
  }
  if (error instanceof TooBigError) {
    return { code: 'too_big', message: error.message, line: null, column: null };
  }
  if (error instanceof RangeError) {
    const message = `Cannot show this: the browser has no more memory for this page (${error.message})`;
    return { code: 'too_big', message, line: null, column: null };
  }
  return {
    code: 'failed',
    message: messageOf(error),
    line: null,
    column: null,
  };
}
