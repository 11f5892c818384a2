// The error of a connection: what failed, whether the request may have arrived, and whether another try can help.

import { EXIT, type ExitCode } from '../process/exit-codes.ts';

export type NetworkCode =
  | 'unreachable'
  | 'proxy_failed'
  | 'tls_failed'
  | 'redirected'
  | 'answer_unreadable';

type NetworkExtras = {
  /** What the person can do now. */
  readonly hint: string;
  /** Whether the server may have acted on the request. */
  readonly sent: boolean;
  /** Whether the same request may succeed a moment later. */
  readonly transient: boolean;
  readonly cause?: unknown;
};

/** A request that got no usable answer. `message` is one sentence that names the address or the proxy. */
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

  /** 11 where something answered, but not as it should; 10 where nothing did. */
  get exitCode(): ExitCode {
    const answered = this.code === 'redirected' || this.code === 'answer_unreadable';
    return answered ? EXIT.server : EXIT.unreachable;
  }
}
