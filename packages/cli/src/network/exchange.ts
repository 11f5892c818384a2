// Sends one HTTP request and reads the whole response. Each step has a time limit.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { EXCHANGE_LIMITS, type ExchangeOptions } from './exchange-options.ts';
import { explainFailure, type FailedStep } from './explain-failure.ts';
import type { IdleConnections } from './idle-connections.ts';
import { NetworkError } from './network-error.ts';
import { openConnection, ProxyRefusedError } from './open-connection.ts';
import { findProxy, type ProxyServer } from './proxy.ts';
import { readAnswer, sendRequest } from './send-request.ts';
import { BodyError } from './send-stream.ts';
import { StepWatch } from './step-watch.ts';

/**
 * Like `fetch` with `redirect: "manual"`, for a body of text, form fields, bytes or a stream. Reads the whole response. A PUT with
 * bytes uses an idle connection if there is one; if that was closed meanwhile, it is sent again on a new one. Throws the reason of
 * `init.signal`, the error of a streamed body, or a {@link NetworkError}.
 */
export async function exchange(
  address: string,
  init: RequestInit,
  options: ExchangeOptions,
): Promise<Response> {
  const url = new URL(address);
  const proxy = findProxy(url, options.env);
  // PUT may be sent twice (RFC 9110, 9.2.2). Connections to a proxy are not kept.
  const canKeep = init.method === 'PUT' && init.body instanceof Uint8Array && proxy === null;
  const idle = canKeep ? (options.idle ?? null) : null;
  const known = idle?.take(url.origin) ?? null;
  if (known !== null) {
    try {
      return await exchangeOn(url, { proxy, init, options, idle, known });
    } catch (error) {
      if (init.signal?.aborted || !(error instanceof NetworkError) || !error.transient) throw error;
    }
  }
  return await exchangeOn(url, { proxy, init, options, idle, known: null });
}

type Exchanging = {
  readonly proxy: ProxyServer | null;
  readonly init: RequestInit;
  readonly options: ExchangeOptions;
  readonly idle: IdleConnections | null;
  readonly known: Socket | null;
};

async function exchangeOn(
  url: URL,
  { proxy, init, options, idle, known }: Exchanging,
): Promise<Response> {
  const limits = { ...EXCHANGE_LIMITS, ...options.limits };
  using watch = new StepWatch(init.signal ?? null);
  try {
    watch.allow('connect', limits.connect_ms);
    const socket =
      known ?? (await openConnection(url, proxy, watch.signal, (step) => watch.enter(step)));
    let isKept = false;
    try {
      const keepAlive = idle !== null;
      const answer = await sendRequest({
        ...{ url, proxy, socket, init, limits, watch, options, keepAlive },
      });
      checkProxyAnswer(answer, { url, proxy, step: 'tunnel', lateMs: null });
      const response = await readAnswer(answer, url, limits, watch);
      // After an early response, the rest of the body was not sent.
      if (idle !== null && response.ok && answer.headers.connection !== 'close') {
        isKept = true;
        idle.keep(url.origin, socket);
      }
      return response;
    } finally {
      if (!isKept) socket.destroy();
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
