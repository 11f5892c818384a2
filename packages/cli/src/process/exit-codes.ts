// The exit codes of `svc`, and the error that ends a command with one of them.
import { EXIT } from '@svc/contracts/exit-codes';

export { EXIT };

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each exit code means, for the help text and `docs/cli.md`. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'unexpected failure, or bad input to dashboard, mcp and trace',
  2: 'wrong usage',
  3: 'not logged in, the token was rejected (401), or there is no terminal to sign in from',
  4: 'forbidden (403)',
  5: 'not found (404)',
  6: 'conflict (409)',
  7: 'bad build or bad input, or a limit is exceeded',
  8: 'too large, or a quota is used up',
  9: 'the game does not start; svc publish has already published or staged it',
  10: 'network failure, time-out or rate limit: safe to retry',
  11: 'the server failed',
  130: 'interrupted',
};

/** Whether a number from elsewhere, such as the platform's table of errors, is one of the exit codes. */
export function isExitCode(code: number): code is ExitCode {
  return Object.hasOwn(EXIT_MEANINGS, code);
}

/** One item of an error that has several causes, such as one finding about a build. */
export type ErrorDetail = {
  readonly path?: string;
  readonly entry?: string;
  readonly rule?: string;
  readonly message: string;
  readonly hint?: string;
};

type ErrorExtras = {
  /** The next step for the user, in one or two sentences. */
  readonly hint?: string;
  /** The position of the fault in a text input. Both are 1-based; the column counts bytes. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly details?: readonly ErrorDetail[];
  readonly cause?: unknown;
  /** What the command did before it failed. Its fields are written beside `error` in the JSON output. */
  readonly result?: object;
  /** Seconds to wait before a retry, as the server reported them. */
  readonly retry_after_s?: number;
};

/**
 * Ends a command with an exit code and a message for the user. `message` is one sentence, `code` a stable identifier for
 * programs. Any other error is a bug in svc and ends the command with exit code 1.
 */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly extras: ErrorExtras;

  constructor(exitCode: ExitCode, code: string, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? {} : { cause: extras.cause });
    this.exitCode = exitCode;
    this.code = code;
    this.extras = extras;
  }
}

/** The error for wrong usage: exit code 2. */
export function usageError(message: string, hint?: string): ExitError {
  return new ExitError(EXIT.usage, 'usage', message, hint === undefined ? {} : { hint });
}
