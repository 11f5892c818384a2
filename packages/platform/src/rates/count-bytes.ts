// Counts the bytes of an upload while they arrive.

export type ByteCount = AsyncDisposable & {
  /** Counts bytes that have arrived. If they are not left, calls `onRejected` with the error. */
  add(bytes: number, onRejected: (error: unknown) => void): void;
  /** Waits until all bytes that have arrived are counted. Throws if they are not left. */
  end(): Promise<void>;
};

/** Bytes beyond the declared ones are counted when there are this many, or at the end. */
const STEP_BYTES = 1024 * 1024;

/**
 * Counts an upload of which `declared` bytes are counted already. Disposing gives back those that have not arrived. `take`
 * counts more, and throws if they are not left.
 */
export function countBytes(
  declared: number,
  take: (bytes: number) => Promise<void>,
  giveBack: (bytes: number) => Promise<void>,
): ByteCount {
  let counted = declared;
  let arrived = 0;
  let earlier: Promise<void> = Promise.resolve();
  const countArrived = (): Promise<void> => {
    const more = arrived - counted;
    if (more <= 0) return earlier;
    counted = arrived;
    earlier = earlier.then(() => take(more));
    return earlier;
  };
  return {
    add(bytes, onRejected) {
      arrived += bytes;
      if (arrived - counted >= STEP_BYTES) countArrived().catch(onRejected);
    },
    end: countArrived,
    async [Symbol.asyncDispose]() {
      if (counted > arrived) await giveBack(counted - arrived);
    },
  };
}
