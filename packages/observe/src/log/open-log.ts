// Opens the log of a process: JSON lines for programs, or text for people, on a file descriptor.
import { pino } from 'pino';
import sonicBoom from 'sonic-boom';
import { formatText } from './format-text.ts';
import type { Log, LogLevel } from './log.ts';

/** Lines in memory that the reader has not taken yet. With more, new lines are dropped. */
const WAITING_BYTES = 16 * 1024 * 1024;
const FLUSH_MS = 1_000;

/** The log of a process. */
export type ProcessLog = Log & {
  /** Resolves when all lines are written, or after a second. Call it before the process exits, which does not wait for the log. */
  flush(): Promise<void>;
};

export type LogOptions = {
  /** Lines of lower levels are not written. */
  readonly level: LogLevel;
  readonly format: 'json' | 'text';
  /** The file descriptor, such as 2 for standard error. */
  readonly descriptor: number;
};

/**
 * Opens the log. Lines are written in the background, so that a reader that stalls does not stop the server. Then at most
 * 16 MiB of lines wait, and a warning states how many more were dropped.
 */
export function openLog({ level, format, descriptor }: LogOptions): ProcessLog {
  let dropped = 0;
  // Not `pino.destination`, which writes what is left when the process exits, and so waits for a reader that stalls.
  const destination = new sonicBoom.SonicBoom({
    fd: descriptor,
    sync: false,
    // With 0, the library's `flush` does not wait.
    minLength: 1,
    maxLength: WAITING_BYTES,
  });
  destination.on('drop', () => {
    dropped++;
  });
  let isReaderGone = false;
  // There is nobody to report it to. After other errors, such as a full disk, the next line tries again.
  destination.on('error', (error) => {
    isReaderGone ||= isErrno(error, 'EPIPE');
  });
  const write = (json: string): void => {
    if (isReaderGone) return;
    destination.write(format === 'json' ? json : formatText(json));
  };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  destination.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ lines }, 'lines of the log were dropped, because their reader was too slow');
  });
  const at =
    (name: LogLevel): Log[LogLevel] =>
    (message, fields = {}) =>
      logger[name](fields, message);
  const flush = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FLUSH_MS);
    if (isReaderGone) resolve();
    else destination.flush(() => resolve());
    await promise;
    clearTimeout(timer);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), flush };
}

/** Returns the function that writes the time of a line. It formats each millisecond once, because lines are frequent. */
function createTimestamp(): () => string {
  let formatted = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== formatted) {
      formatted = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
