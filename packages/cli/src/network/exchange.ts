// One HTTP request and its whole answer, on a connection of its own: each step has a limit, and nothing is tried twice.
import type { IncomingMessage } from 'node:http';
import { explainFailure, type FailedStep } from './explain-failure.ts';
import { NetworkError } from './network-error.ts';
import { openConnection, ProxyRefusedError } from './open-connection.ts';
import { type Environment, findProxy } from './proxy.ts';
import { readAnswer, sendRequest } from './send-request.ts';
import { BodyError } from './send-stream.ts';
import { StepWatch } from './step-watch.ts';

/** How long each step may take, and how much is read. A step that exceeds its limit ends the request. */
export type ExchangeLimits = {
  /** Until the connection stands: name, TCP, proxy and TLS together. */
  readonly connect_ms: number;
  /** Until the other side takes the next piece of the request's body. */
  readonly send_ms: number;
  /** From the end of the request's body to the first byte of the answer. */
  readonly answer_ms: number;
  /** Added to `answer_ms` for each MiB of body that was sent, where the server works on what it received. */
  readonly answer_ms_per_mib: number;
  /** Until the next piece of the answer. */
  readonly read_ms: number;
  readonly answer_bytes: number;
};

const MIB = 1024 * 1024;

/** For a request whose answer takes the server no work worth waiting for. */
export const EXCHANGE_LIMITS: ExchangeLimits = {
  connect_ms: 10_000,
  send_ms: 60_000,
  answer_ms: 30_000,
  answer_ms_per_mib: 0,
  read_ms: 30_000,
  answer_bytes: 32 * MIB,
};

export type ExchangeOptions = {
  /** For the proxy settings. */
  readonly env: Environment;
  readonly limits?: Partial<ExchangeLimits>;
  /** Hears when a streamed body begins to be sent (true), and when all of it was taken (false). */
  readonly onUpload?: (sending: boolean) => void;
};

/**
 * As `fetch` with `redirect: "manual"`: sends the request once and reads the answer whole; a body is text, form fields or a
 * stream. Throws the reason of `init.signal`, what a streamed body throws, or a {@link NetworkError} that says what failed.
 */
export async function exchange(
  address: string,
  init: RequestInit,
  options: ExchangeOptions,
): Promise<Response> {
  const url = new URL(address);
  const proxy = findProxy(url, options.env);
  const limits = { ...EXCHANGE_LIMITS, ...options.limits };
  using watch = new StepWatch(init.signal ?? null);
  try {
    watch.allow('connect', limits.connect_ms);
    const socket = await openConnection(url, proxy, watch.signal, (step) => watch.enter(step));
    try {
      const answer = await sendRequest({ url, proxy, socket, init, limits, watch, options });
      refuseForProxy(answer, { url, proxy, step: 'tunnel', lateMs: null });
      return await readAnswer(answer, url, limits, watch);
    } finally {
      socket.destroy();
    }
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    if (error instanceof BodyError) throw error.cause;
    if (error instanceof NetworkError) throw error;
    throw explainFailure(error, { url, proxy, step: watch.step, lateMs: watch.lateMs });
  }
}

/** Throws where a proxy that forwards the request asks for a password: only a proxy answers with 407. */
function refuseForProxy(
  { statusCode = 0, statusMessage = '' }: IncomingMessage,
  failed: FailedStep,
): void {
  if (failed.proxy === null || statusCode !== 407) return;
  throw explainFailure(new ProxyRefusedError(statusCode, statusMessage), failed);
}
