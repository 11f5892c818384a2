// A hidden tab draws no frames and its timers are slowed: time that is missing, not slow. It is told as loss.
import { roundMs } from '@svc/trace/write';
import { now } from '../sink/clock.ts';
import { type Part, quietly } from '../sink/sink.ts';

/** Tells each stretch of time in which the tab was hidden, when it ends or when the trace is written out. */
export const visibility: Part = (sink) => {
  const page = globalThis.document;
  if (page === undefined) return 'this context has no document';
  let since = page.hidden ? now() : Number.NaN;
  const tell = () => {
    if (Number.isNaN(since)) return;
    const t = sink.since(since);
    sink.write({ type: 'loss', t, reason: 'hidden_tab', duration_ms: roundMs(sink.now() - t) });
    since = Number.NaN;
  };
  const onChange = () =>
    quietly(() => {
      if (page.hidden) since = now();
      else tell();
    });
  const collect = (all: boolean) => {
    if (!all || Number.isNaN(since)) return;
    tell();
    since = now();
  };
  page.addEventListener('visibilitychange', onChange);
  sink.collects.push(collect);
  return () => page.removeEventListener('visibilitychange', onChange);
};
