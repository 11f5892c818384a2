// A hidden tab draws no frames and its timers are throttled. This time is missing, not slow, so it is recorded as a loss.
import { roundMs } from '@svc/trace/write';
import { now } from '../sink/clock.ts';
import { type Part, quietly } from '../sink/sink.ts';

/** Writes a loss for each time the tab was hidden, when it becomes visible or when the trace is exported. */
export const visibility: Part = (sink) => {
  const page = globalThis.document;
  if (page === undefined) return 'this context has no document';
  let since = page.hidden ? now() : Number.NaN;
  const write = () => {
    if (Number.isNaN(since)) return;
    const t = sink.since(since);
    sink.write({ type: 'loss', t, reason: 'hidden_tab', duration_ms: roundMs(sink.now() - t) });
    since = Number.NaN;
  };
  const onChange = () =>
    quietly(() => {
      if (page.hidden) since = now();
      else write();
    });
  const collect = (all: boolean) => {
    if (!all || Number.isNaN(since)) return;
    write();
    since = now();
  };
  page.addEventListener('visibilitychange', onChange);
  sink.collects.push(collect);
  return () => page.removeEventListener('visibilitychange', onChange);
};
