// The functions of the page, sampled by the browser (JS Self-Profiling, Chromium only). A profiler returns its samples when it stops,
// so one follows another. The next one starts before the last one stops, so that nothing is missed and the start is cheap.
import { formatKnownRecord } from '@svc/trace/write';
import { now } from '../sink/clock.ts';
import { attempt, type Kept, type Part, quietly, type Sink } from '../sink/sink.ts';
import { BUFFER_FULL, FunctionStore, LATE, lossOf, NO_STACK } from './function-store.ts';
import type { Profile, Profiler, ProfilerClass } from './profiler.ts';
import { readProfile } from './read-profile.ts';
import { SampleStream } from './sample-stream.ts';

/** The shortest interval of Chromium. */
const SAMPLE_EVERY_MS = 10;
const PROFILER_LASTS_MS = 10_000;
/** Six times what a profiler needs: the timers of a hidden tab run once a minute. */
const BUFFER_SAMPLES = 6_000;
/** A sample lasts at most this number of intervals. */
const LONGEST_INTERVALS = 10;
/** Longest work on profiles at each write, unless too many wait. */
const SLICE_MS = 1;
const MOST_WAITING = 3;
/** Longest wait for the last profile. */
const SETTLE_MS = 2_000;

/** The header that allows a page to sample its functions, and the metric of `Server-Timing` that announces it. */
const POLICY = 'js-profiling';

/**
 * Samples the functions until stopped. The last profile arrives after the stop. A page cannot ask whether it has the header, and an
 * attempt without it writes an error to the console. So without `tries`, the server must announce it.
 */
export function functions(tries: boolean): Part {
  return (sink) => {
    const { Profiler: maker }: { Profiler?: ProfilerClass } = globalThis as object;
    if (typeof maker !== 'function') return 'this browser or context has no Profiler';
    if (!tries && !isAnnounced()) {
      return `the server does not announce that the page may do so. If it sends "Document-Policy: ${POLICY}", start with parts: { functions: true }`;
    }
    const create = () =>
      new maker({ sampleInterval: SAMPLE_EVERY_MS, maxBufferSize: BUFFER_SAMPLES });
    try {
      const sampling = new Sampling(sink, create, create());
      sink.kept = sampling;
      sink.collects.push((all) => sampling.collect(all));
      return () => sampling.stop();
    } catch (error) {
      if (Object(error).name !== 'NotAllowedError') throw error;
      return `the page was loaded without the header "Document-Policy: ${POLICY}"`;
    }
  };
}

function isAnnounced(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.serverTiming?.some(({ name }) => name === POLICY) === true;
}

class Sampling implements Kept {
  readonly #sink: Sink;
  readonly #create: () => Profiler;
  readonly #store: FunctionStore;
  readonly #stream: SampleStream;
  #profiler: Profiler | null = null;
  #began = 0;
  /** The reason of a gap before the running profiler. */
  #gap = LATE;
  /** When the sampling stopped, in µs since the start of the recording. Null while it runs. */
  #stopped: number | null = null;
  /** The profiles that were not read to their end, in order. */
  readonly #waiting: Generator<void>[] = [];
  /** Resolves when the profiles of all stopped profilers have arrived. Never rejects. */
  #arrived = Promise.resolve();

  constructor(sink: Sink, create: () => Profiler, first: Profiler) {
    this.#sink = sink;
    this.#create = create;
    this.#store = new FunctionStore(sink);
    const longest_ms = Math.max(SAMPLE_EVERY_MS, first.sampleInterval || 0) * LONGEST_INTERVALS;
    this.#stream = new SampleStream(this.#store, this.#time(), Math.round(longest_ms * 1000));
    this.#follow(first);
  }

  /** Reads what has arrived, and starts the next profiler when it is time. */
  collect(all: boolean): void {
    if (this.#stopped !== null) return;
    if (now() - this.#began >= PROFILER_LASTS_MS) this.#change(LATE);
    const isUrgent = all || this.#waiting.length > MOST_WAITING;
    this.#read(isUrgent ? Number.POSITIVE_INFINITY : now() + SLICE_MS);
  }

  stop(): void {
    const end = this.#time();
    this.#stopped = end;
    const gap = this.#gap;
    this.#finish();
    this.#arrived = this.#arrived.then(() => {
      this.#read(Number.POSITIVE_INFINITY);
      this.#stream.add(NO_STACK, end, gap);
    });
  }

  async settle(): Promise<void> {
    if (this.#stopped === null) quietly(() => this.#change(LATE));
    const timeout = new Promise<void>((done) => setTimeout(done, SETTLE_MS));
    await Promise.race([this.#arrived, timeout]);
  }

  lines(): string[] {
    const known = this.#stream.at;
    const missing = (this.#stopped ?? this.#time()) - known;
    const isComplete = missing <= this.#stream.longest;
    const loss = isComplete ? [] : [formatKnownRecord(lossOf('stacks_lost', known, missing))];
    return [...this.#store.lines(), ...loss];
  }

  #follow(profiler: Profiler): void {
    this.#profiler = profiler;
    this.#began = now();
    profiler.addEventListener('samplebufferfull', () =>
      quietly(() => {
        if (this.#profiler === profiler) this.#change(BUFFER_FULL);
      }),
    );
  }

  /** Starts the next profiler and stops the running one. `gap` is the reason of a gap between the two. */
  #change(gap: number): void {
    const next = attempt(this.#create);
    this.#finish();
    this.#gap = gap;
    this.#began = now();
    if (next !== undefined) this.#follow(next);
  }

  /** Stops the running profiler. Its profile is read after those before it. */
  #finish(): void {
    const profile = this.#profiler?.stop();
    this.#profiler = null;
    if (profile !== undefined) this.#arrived = this.#receive(profile, this.#gap, this.#arrived);
  }

  async #receive(profile: Promise<Profile>, gap: number, before: Promise<void>): Promise<void> {
    const [result] = await Promise.allSettled([profile, before]);
    if (result.status === 'rejected') return;
    const { origin } = this.#sink;
    this.#waiting.push(readProfile(result.value, origin, gap, this.#store, this.#stream));
  }

  /** Reads until a time of the page's clock. An exception ends a profile that is not as it should be. */
  #read(until: number): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const profile = next;
      while (attempt(() => profile.next().done) === false) if (now() >= until) return;
      this.#waiting.shift();
    }
  }

  #time(): number {
    return Math.round(this.#sink.now() * 1000);
  }
}
