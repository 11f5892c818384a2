// Waits for the files of a batch, as long as somebody wants them.
import type { Batch } from './file-store.ts';

/**
 * Waits until all files of the batch are stored durably. Throws if one could not be stored. When the signal is aborted, the
 * batch is stopped: files in progress end, no more are started, and the reason of the signal is thrown.
 */
export async function settleBatch(batch: Batch, signal: AbortSignal): Promise<void> {
  const stop = (): void => void batch.stop();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await batch.settle();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
}
