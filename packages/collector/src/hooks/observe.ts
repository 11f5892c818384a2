// The browser's performance observer for one type of entry; what a handler throws stays here.
import { quietly } from '../sink/sink.ts';

/** What a browser tells with the first entries, which the DOM library's types do not know. */
type Dropped = { readonly droppedEntriesCount?: number };

/**
 * Observes entries until stopped; `buffered` brings those from before too, and `missed` is told how many of them the browser
 * had no room for. Returns why where the type is unknown.
 */
export function observe(
  type: string,
  buffered: boolean,
  take: (entry: PerformanceEntry) => void,
  missed: (count: number) => void = () => {},
): (() => void) | string {
  if (!globalThis.PerformanceObserver?.supportedEntryTypes?.includes(type)) {
    return `the browser has no "${type}" entries`;
  }
  const each = (list: PerformanceEntry[]) => {
    for (const entry of list) quietly(() => take(entry));
  };
  const observer = new PerformanceObserver((list, _observer, more?: Dropped) => {
    const { droppedEntriesCount = 0 } = more ?? {};
    if (droppedEntriesCount > 0) quietly(() => missed(droppedEntriesCount));
    each(list.getEntries());
  });
  observer.observe({ type, buffered });
  return () => {
    each(observer.takeRecords());
    observer.disconnect();
  };
}
