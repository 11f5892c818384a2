// A log for tests, as lines of text.
import type { Log, LogFields } from '../src/index.ts';

/**
 * Passes each line on, such as `warning: the store is full`. A line of the level `error` begins with `internal:` and has the
 * stack. Lines of requests are left out.
 */
export function logTo(onLine: (line: string) => unknown): Log {
  const write =
    (prefix: string) =>
    (message: string, { error }: LogFields = {}): void => {
      if (message === 'request') return;
      onLine(`${prefix}${message}${error === undefined ? '' : `: ${error}`}`);
    };
  return {
    debug: write(''),
    info: write(''),
    warn: write('warning: '),
    error: write('internal: '),
  };
}
