// The JS heap once per second, and the whole memory of the page if it is cross-origin isolated (Chromium only).
import type { Part, Sink } from '../sink/sink.ts';
import { quietly } from '../sink/sink.ts';

/** Interval of page memory measurements. Each one takes a garbage collection. */
const PAGE_EVERY_MS = 10_000;

/** `performance` in Chromium. Missing in the DOM library's types. */
type MemoryClock = Performance & {
  readonly memory?: { readonly usedJSHeapSize: number };
  measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>;
};

/** Records counter `js_heap_bytes`. Without isolation the browser rounds it and updates it rarely. */
export const heap: Part = (sink) => {
  const clock: MemoryClock | undefined = globalThis.performance;
  if (clock?.memory === undefined) return 'the browser does not report the JS heap';
  sink.collects.push(() => {
    sink.heapBytes = clock.memory?.usedJSHeapSize ?? null;
    count(sink, 'js_heap_bytes', sink.heapBytes);
  });
  return () => {};
};

/** Records counter `page_memory_bytes`: JS and DOM of the page and its workers. */
export const pageMemory: Part = (sink) => {
  const clock: MemoryClock | undefined = globalThis.performance;
  if (globalThis.crossOriginIsolated !== true) return 'the page is not cross-origin isolated';
  if (clock?.measureUserAgentSpecificMemory === undefined) {
    return 'the browser has no measureUserAgentSpecificMemory';
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = () => {
    quietly(() => {
      clock.measureUserAgentSpecificMemory?.().then(
        ({ bytes }) => {
          if (!sink.on) return;
          quietly(() => count(sink, 'page_memory_bytes', bytes));
          timer = setTimeout(ask, PAGE_EVERY_MS);
        },
        () => {},
      );
    });
  };
  ask();
  return () => clearTimeout(timer);
};

function count(sink: Sink, name: string, value: number | null): void {
  if (value !== null && Number.isFinite(value)) sink.count(name, 'bytes', value);
}
