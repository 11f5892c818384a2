// Exit codes of `svc`, and the one error class that a command ends with when it can't do what was asked.

/** What each exit code means, for help texts and docs. `dashboard` and `trace` use 0, 1 and 2 only. */
export const EXIT_CODES = {
  0: 'done',
  1: 'unexpected failure, or bad input to dashboard and trace',
  2: 'wrong usage',
  3: 'not logged in, the token is refused (401), or nobody is there to sign in',
  4: 'forbidden (403)',
  5: 'not found (404)',
  6: 'conflict (409)',
  7: 'bad build or bad input',
  8: 'too large, or a quota is used up',
  9: 'published, but the game does not start',
  10: 'network failure, time-out or rate limit: safe to retry',
  11: 'the server failed',
  130: 'interrupted',
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** One more thing to know about a failure: where it is, and what to do about it. */
export type FailureDetail = {
  readonly path?: string;
  readonly entry?: string;
  readonly rule?: string;
  readonly message: string;
  readonly hint?: string;
};

type FailureExtras = {
  /** What the person can do now; one sentence. */
  readonly hint?: string;
  /** Where in a text input the fault is; both 1-based, the column in bytes. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly details?: readonly FailureDetail[];
  readonly cause?: unknown;
  /** What was done all the same; stands beside `error` in the JSON face. */
  readonly result?: object;
  /** Seconds after which a retry makes sense, as the server said. */
  readonly retry_after_s?: number;
};

/**
 * A failure that the person can understand: `message` is one clear sentence, `code` a stable word for programs.
 * Everything else that is thrown is a fault of ours and ends with exit code 1.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly extras: FailureExtras;

  constructor(exitCode: ExitCode, code: string, message: string, extras: FailureExtras = {}) {
    super(message, extras.cause === undefined ? {} : { cause: extras.cause });
    this.exitCode = exitCode;
    this.code = code;
    this.extras = extras;
  }
}

/** Wrong usage: exit code 2. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(2, 'usage', message, hint === undefined ? {} : { hint });
}
