// The error that handlers throw to reject a request, and the function that creates it from a table
// of codes. Any other error is answered as `internal`, without details.
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
 * An error with a code from the server's table, which has its status. The message is for the user.
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

/** Creates an error with a code of one table. The message is for the user. */
export type Failure<Code extends string> = (
  code: Code,
  message: string,
  parts?: ErrorParts,
) => ApiError<Code>;

/**
 * Returns the function that creates the errors of a server. A code that is not in its table does
 * not compile. An error with the status 401 names the accepted authentication scheme (RFC 9110,
 * 15.5.2).
 */
export function failureOf<Code extends string>(
  errors: Readonly<Record<Code, { readonly status: number }>>,
): Failure<Code> {
  return (code, message, parts = {}) => {
    if (errors[code].status !== 401) return new ApiError(code, message, parts);
    const headers = { 'WWW-Authenticate': 'Bearer', ...parts.headers };
    return new ApiError(code, message, { ...parts, headers });
  };
}
