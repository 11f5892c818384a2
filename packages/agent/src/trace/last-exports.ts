// The exports that follow the end of a session: a page that shows the recording fetches its last second and its end.

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
