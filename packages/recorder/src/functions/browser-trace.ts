// Records what the browser does by its tracing: the functions of all threads, rendering and garbage collection. The data is outside
// of the page's process, so it survives a crash of the tab.
import type { TimelineSegment } from '@svc/trace';
import type { Connection } from 'puppeteer-core';

/**
 * The profiler of V8 samples each thread about every 200 µs. The others have the rendering work, the garbage collections, and the
 * marks by which the clocks are compared.
 */
const CATEGORIES = [
  'devtools.timeline',
  'disabled-by-default-v8.cpu_profiler',
  'blink.user_timing',
];
const USAGE_EVERY_MS = 1000;
/** The share of the browser's buffer at which the data is fetched. */
const FULL = 0.7;
const READ_BYTES = 4 * 1024 * 1024;

export class BrowserTrace {
  readonly #connection: Connection;
  readonly #onFull: () => void;

  /** `onFull` is called when the buffer of the browser should be emptied by `end` and `start`. */
  constructor(connection: Connection, onFull: () => void) {
    this.#connection = connection;
    this.#onFull = onFull;
    connection.on('Tracing.bufferUsage', ({ percentFull }) => {
      if ((percentFull ?? 0) > FULL) this.#onFull();
    });
  }

  async start(): Promise<void> {
    await this.#connection.send('Tracing.start', {
      transferMode: 'ReturnAsStream',
      bufferUsageReportingInterval: USAGE_EVERY_MS,
      traceConfig: {
        recordMode: 'recordUntilFull',
        includedCategories: CATEGORIES,
        excludedCategories: ['*'],
      },
    });
  }

  /** Ends the trace and reads it into `segment`. */
  async end(segment: TimelineSegment): Promise<void> {
    const complete = new Promise<string | undefined>((resolve) => {
      this.#connection.once('Tracing.tracingComplete', ({ stream }) => resolve(stream));
    });
    await this.#connection.send('Tracing.end');
    const handle = await complete;
    if (handle === undefined) return;
    for (;;) {
      const { data, eof, base64Encoded } = await this.#connection.send('IO.read', {
        handle,
        size: READ_BYTES,
      });
      segment.push(Buffer.from(data, base64Encoded === true ? 'base64' : 'utf8'));
      if (eof) break;
    }
    await this.#connection.send('IO.close', { handle });
    segment.finish();
  }
}
