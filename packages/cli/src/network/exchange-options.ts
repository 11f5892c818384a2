// The options and limits of one HTTP exchange.
import type { IdleConnections } from './idle-connections.ts';
import type { Environment } from './proxy.ts';

/** How long each step may take, and how much is read. Exceeding a limit ends the request. */
export type ExchangeLimits = {
  /** Until the connection is open: name lookup, TCP, proxy and TLS together. */
  readonly connect_ms: number;
  /** Until the server accepts the next piece of the request's body. */
  readonly send_ms: number;
  /** From the end of the request's body to the first byte of the response. */
  readonly answer_ms: number;
  /** Added to `answer_ms` for each MiB of body sent, for a server that processes the body before it answers. */
  readonly answer_ms_per_mib: number;
  /** Until the next piece of the response. */
  readonly read_ms: number;
  readonly answer_bytes: number;
};

const MIB = 1024 * 1024;

/** The limits for requests that a server answers quickly. */
export const EXCHANGE_LIMITS: ExchangeLimits = {
  connect_ms: 10_000,
  send_ms: 60_000,
  answer_ms: 30_000,
  answer_ms_per_mib: 0,
  read_ms: 30_000,
  answer_bytes: 32 * MIB,
};

export type ExchangeOptions = {
  /** Holds the proxy settings. */
  readonly env: Environment;
  readonly limits?: Partial<ExchangeLimits>;
  /** Connections of earlier requests. Without them, each request has its own. */
  readonly idle?: IdleConnections;
  /** Called with true when a streamed body starts to be sent, and with false when all of it was sent. */
  readonly onUpload?: (sending: boolean) => void;
};
