// The error of a request without a usable response: what failed, whether the server may have received it, whether a retry can help.

import { EXIT, type ExitCode } from '../process/exit-codes.ts';

export type NetworkCode =
  | 'unreachable'
  | 'proxy_failed'
  | 'tls_failed'
  | 'redirected'
  | 'answer_unreadable';

type NetworkExtras = {
  /** The next step for the user. */
  readonly hint: string;
  /** Whether the server may have acted on the request. */
  readonly sent: boolean;
  /** Whether a retry may succeed. */
  readonly transient: boolean;
  readonly cause?: unknown;
};

/** A request without a usable response. `message` is one sentence that names the address or the proxy. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly code: NetworkCode;
  readonly hint: string;
  readonly sent: boolean;
  readonly transient: boolean;

  constructor(code: NetworkCode, message: string, extras: NetworkExtras) {
    super(message, { cause: extras.cause });
    this.code = code;
    this.hint = extras.hint;
    this.sent = extras.sent;
    this.transient = extras.transient;
  }

  /** 11 if the server responded in an unexpected way, 10 if it could not be reached. */
  get exitCode(): ExitCode {
    const answered = this.code === 'redirected' || this.code === 'answer_unreadable';
    return answered ? EXIT.server : EXIT.unreachable;
  }
}
