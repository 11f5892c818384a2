// The one error that a handler throws on purpose. Everything else that is thrown is told as `internal`, and nothing of it.
import type { ErrorDetail } from '@svc/contracts/errors';

/** What goes beside the code and the message of an error. */
export type ErrorParts = {
  /** Extra headers of the answer: `Allow`, `Retry-After`, `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** 1-based, in bytes, where text failed to parse. */
  readonly line?: number;
  readonly column?: number;
  readonly details?: readonly ErrorDetail[];
  readonly cause?: unknown;
};

/** A refusal with a code from the server's own table; the table gives its status. The message is shown to people. */
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
