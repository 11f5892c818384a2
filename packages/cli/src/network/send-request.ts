// Writes one request to an open connection and reads the response, within the limits.
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Socket } from 'node:net';
import { bytesText } from '@svc/trace/number-text';
import { VERSION } from '../process/version.ts';
import type { ExchangeLimits, ExchangeOptions } from './exchange-options.ts';
import { NetworkError } from './network-error.ts';
import type { ProxyServer } from './proxy.ts';
import { sendStream } from './send-stream.ts';
import type { StepWatch } from './step-watch.ts';

export type Sending = {
  readonly url: URL;
  readonly proxy: ProxyServer | null;
  readonly socket: Socket;
  readonly init: RequestInit;
  readonly limits: ExchangeLimits;
  readonly watch: StepWatch;
  readonly options: ExchangeOptions;
  /** Whether the connection stays open after the response. */
  readonly keepAlive: boolean;
};

const MIB = 1024 * 1024;

/** Sends head and body. Resolves with the head of the response, which may arrive before all of the body is sent. */
export async function sendRequest(sending: Sending): Promise<IncomingMessage> {
  const { init, limits, watch, options } = sending;
  const body = plainBody(init.body);
  const request = openClientRequest(sending, body);
  const answered = answerTo(request, watch.signal);
  watch.allow('send', limits.send_ms);
  let bytes = body?.length ?? 0;
  const stream = streamedBody(init.body);
  if (stream !== null) {
    options.onUpload?.(true);
    bytes = await sendStream(request, stream, answered, {
      reading: () => watch.rest(),
      sending: () => watch.allow('send', limits.send_ms),
    });
    options.onUpload?.(false);
  }
  await Promise.race([end(request, body), answered]);
  watch.allow('wait', limits.answer_ms + Math.ceil((bytes / MIB) * limits.answer_ms_per_mib));
  return await answered;
}

/** A body that is sent in pieces, so that the time limit is for each piece: a stream, or bytes. Null for others. */
function streamedBody(body: RequestInit['body']): ReadableStream<Uint8Array> | null {
  if (body instanceof ReadableStream) return body;
  return body instanceof Uint8Array ? ReadableStream.from([body]) : null;
}

/** The bytes of a body that is sent at once. Null for others and without a body. */
function plainBody(body: RequestInit['body']): Buffer | null {
  if (body === undefined || body === null) return null;
  if (body instanceof ReadableStream || body instanceof Uint8Array) return null;
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(String(body));
  throw new TypeError('The body must be text, form fields, bytes or a stream');
}

function openClientRequest(
  { url, proxy, socket, init, keepAlive }: Sending,
  body: Buffer | null,
): ClientRequest {
  const headers = new Headers(init.headers);
  if (!headers.has('accept')) headers.set('accept', '*/*');
  headers.set('user-agent', `svc/${VERSION}`);
  headers.set('host', url.host);
  headers.set('connection', keepAlive ? 'keep-alive' : 'close');
  const length = init.body instanceof Uint8Array ? init.body.length : body?.length;
  if (length !== undefined) headers.set('content-length', String(length));
  if (init.body instanceof URLSearchParams && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  }
  // Without TLS, the request line for a proxy has the whole address.
  const forwarded = proxy !== null && url.protocol === 'http:';
  if (forwarded && proxy.authorization !== null) {
    headers.set('proxy-authorization', proxy.authorization);
  }
  return openRequest({
    method: init.method ?? 'GET',
    path: `${forwarded ? url.origin : ''}${url.pathname}${url.search}`,
    headers: Object.fromEntries(headers),
    createConnection: () => socket,
  });
}

function answerTo(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    request.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    const stop = (): void => {
      reject(signal.reason);
      request.destroy();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // The promise is awaited later. Until then a rejection must not count as unhandled.
  answered.catch(() => {});
  return answered;
}

function end(request: ClientRequest, body: Buffer | null): Promise<void> {
  return new Promise((resolve) => {
    request.on('finish', resolve);
    if (body === null) request.end();
    else request.end(body);
  });
}

/** Reads the whole response. Throws a {@link NetworkError} if it is too large or its status is not 200 to 599. */
export async function readAnswer(
  answer: IncomingMessage,
  url: URL,
  limits: ExchangeLimits,
  watch: StepWatch,
): Promise<Response> {
  watch.allow('read', limits.read_ms);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    watch.allow('read', limits.read_ms);
    bytes += chunk.length;
    if (bytes > limits.answer_bytes) throw tooLarge(url, limits.answer_bytes);
    chunks.push(chunk);
  }
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599) throw unknownStatus(url, status);
  const headers = new Headers();
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  }
  // The constructor of Response accepts no body with these statuses.
  const empty = status === 204 || status === 205 || status === 304;
  return new Response(empty ? null : Buffer.concat(chunks), { status, headers });
}

function tooLarge(url: URL, limitBytes: number): NetworkError {
  const limit = bytesText(limitBytes);
  return unreadable(`Cannot read the response of ${url.origin}: it is larger than ${limit}.`);
}

function unknownStatus(url: URL, status: number): NetworkError {
  return unreadable(`Cannot read the response of ${url.origin}: its status is ${status}.`);
}

function unreadable(message: string): NetworkError {
  const hint = 'Check the address. A publishing platform does not answer like this.';
  return new NetworkError('answer_unreadable', message, { hint, sent: true, transient: false });
}
