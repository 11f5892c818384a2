// The JS heap once a second, and the page's whole memory where the page is cross-origin isolated (Chromium only).
import type { Part, Sink } from '../sink/sink.ts';
import { quietly } from '../sink/sink.ts';

/** The page's memory is asked for this often: an answer takes a garbage collection, so not more. */
const PAGE_EVERY_MS = 10_000;

/** What Chromium adds to `performance`, which the DOM library's types do not know. */
type MemoryClock = Performance & {
  readonly memory?: { readonly usedJSHeapSize: number };
  measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>;
};

/** Counter `js_heap_bytes`. Without isolation the browser rounds it and refreshes it rarely. */
export const heap: Part = (sink) => {
  const clock: MemoryClock | undefined = globalThis.performance;
  if (clock?.memory === undefined) return 'the browser does not report the JS heap';
  const { memory } = clock;
  sink.collects.push(() => {
    const { usedJSHeapSize } = clock.memory ?? memory;
    sink.heapBytes = usedJSHeapSize;
    count(sink, 'js_heap_bytes', usedJSHeapSize);
  });
  return () => {};
};

/** Counter `page_memory_bytes`: JS and DOM of the page with its workers. */
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

function count(sink: Sink, name: string, value: number): void {
  if (Number.isFinite(value)) sink.count(name, 'bytes', value);
}
