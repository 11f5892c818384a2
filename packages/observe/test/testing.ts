// Logs for tests.
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

/** A line of a log with its fields. */
export type Line = {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
};

/** Returns a log, and the lines that are written to it. */
export function keepLines(): { readonly log: Log; readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields });
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { log, lines };
}
