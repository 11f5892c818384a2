// Runs steps in the background, a few at a time.

export type Lanes = {
  /** Queues the step. Throws if an earlier step has failed; then no more steps run. */
  add(step: () => Promise<void>): void;
  /** Waits for all steps. Throws the error of the first step that failed. */
  finish(): Promise<void>;
  /** Starts no more steps, and waits for those in progress. */
  stop(): Promise<void>;
};

/** Starts `count` lanes, each of which runs one step at a time. */
export function startLanes(count: number): Lanes {
  const lanes = Array.from({ length: count }, () => Promise.resolve());
  let failed: { readonly error: unknown } | null = null;
  let next = 0;
  const throwFailure = (): void => {
    if (failed !== null) throw failed.error;
  };
  return {
    add(step) {
      throwFailure();
      const lane = next++ % count;
      lanes[lane] = (lanes[lane] ?? Promise.resolve())
        .then(() => (failed === null ? step() : undefined))
        .catch((error: unknown) => {
          failed ??= { error };
        });
    },
    async finish() {
      await Promise.all(lanes);
      throwFailure();
    },
    async stop() {
      failed ??= { error: new Error('Cannot add a step: the lanes are stopped') };
      await Promise.all(lanes);
    },
  };
}
