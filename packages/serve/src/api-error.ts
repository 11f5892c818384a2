// The error that handlers throw to refuse a request. Any other error is answered as `internal`,
// without details.
import type { ErrorDetail } from '@svc/contracts/errors';

/** The parts of an error in addition to code and message. */
export type ErrorParts = {
  /** Extra headers of the answer, such as `Allow`, `Retry-After` and `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The position of a syntax error, 1-based and in bytes. */
  readonly line?: number;
  readonly column?: number;
  readonly details?: readonly ErrorDetail[];
  readonly cause?: unknown;
};

/**
 * A refusal with a code from the server's table, which has its status. The message is for the user.
 */
export class ApiError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly parts: ErrorParts;

  constructor(code: Code, message: string, parts: ErrorParts = {}) {
    super(message, parts.cause === undefined ? {} : { cause: parts.cause });
    this.name = 'ApiError';
    this.code = code;
    this.parts = parts;
  }
}
