// Sends one HTTP request on its own connection and reads the whole response. Each step has a time limit; nothing is retried.
import type { IncomingMessage } from 'node:http';
import { EXCHANGE_LIMITS, type ExchangeOptions } from './exchange-options.ts';
import { explainFailure, type FailedStep } from './explain-failure.ts';
import { NetworkError } from './network-error.ts';
import { openConnection, ProxyRefusedError } from './open-connection.ts';
import { findProxy } from './proxy.ts';
import { readAnswer, sendRequest } from './send-request.ts';
import { BodyError } from './send-stream.ts';
import { StepWatch } from './step-watch.ts';

/**
 * Like `fetch` with `redirect: "manual"`, for a body of text, form fields or a stream. Reads the whole response. Throws the
 * reason of `init.signal`, the error of a streamed body, or a {@link NetworkError}.
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
      checkProxyAnswer(answer, { url, proxy, step: 'tunnel', lateMs: null });
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

/** Throws if a forwarding proxy asks for a password: only a proxy answers with 407. */
function checkProxyAnswer(
  { statusCode = 0, statusMessage = '' }: IncomingMessage,
  failed: FailedStep,
): void {
  if (failed.proxy === null || statusCode !== 407) return;
  throw explainFailure(new ProxyRefusedError(statusCode, statusMessage), failed);
}
