// Counts the exports after the end of a session, in which open pages fetch the last second and the
// end of the recording.

export type LastExports = {
  /** Counts an export that begins after the end. */
  count(): void;
  /** Resolves when `wanted` exports have begun since the end, or after `ms`. */
  wait(wanted: number, ms: number): Promise<void>;
};

export function createLastExports(): LastExports {
  let begun = 0;
  let look = (): void => {};
  return {
    count: () => {
      begun++;
      look();
    },
    wait: async (wanted, ms) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      look = () => {
        if (begun >= wanted) resolve();
      };
      const timer = setTimeout(resolve, ms);
      look();
      await promise;
      clearTimeout(timer);
    },
  };
}
