// Whether a stream still takes what is written to it, and whether it did.
import type { Sink } from './io.ts';

export type SinkWatch = Disposable & {
  /** Whether the stream is closed or has failed. What is written to it is lost. */
  readonly isOver: () => boolean;
  /**
   * Waits until everything that was written has left the process, or the stream is over. Throws the error of the stream. A pipe that
   * its reader closes (`svc … | head`) is no error.
   */
  readonly flushed: () => Promise<void>;
};

/**
 * Watches a stream until disposed of. The listeners are added at once, because `process.stdout` reports an error only once, and is
 * usable again after it.
 */
export function watchSink(sink: Sink): SinkWatch {
  let isOver = sink.destroyed || !sink.writable;
  let fault: NodeJS.ErrnoException | null = null;
  let end: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onClose = (): void => {
    isOver = true;
    end();
  };
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') fault ??= error;
    onClose();
  };
  sink.on('close', onClose).on('error', onError);
  return {
    isOver: () => isOver,
    async flushed() {
      if (!isOver) {
        const written = new Promise<void>((resolve) => sink.write('', () => resolve()));
        await Promise.race([written, over]);
        // A stream passes an error to its callback before it emits the event.
        await new Promise(setImmediate);
      }
      if (fault !== null) throw fault;
    },
    [Symbol.dispose]() {
      sink.off('close', onClose).off('error', onError);
    },
  };
}
