// A performance observer for one type of entry. Exceptions of handlers are ignored.
import { quietly } from '../sink/sink.ts';

/** Passed with the first entries. Missing in the DOM library's types. */
type Dropped = { readonly droppedEntriesCount?: number };

/**
 * Observes entries until stopped. With `buffered`, earlier entries are included, and `missed` is called with the number of
 * entries for which the browser had no room. Returns the reason if the browser does not support the type.
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
