// Sends a question to a model provider. This is the only file of the agent that connects to another
// machine, and only when the user requests an analysis.
import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AGENT_LIMITS } from '@svc/contracts/agent';
import { ApiError } from '@svc/serve';
import { failure } from '../failure.ts';
import { isLoopbackUrl, type KnownProvider } from './known-providers.ts';
import { formatProviderFault, formatQuestion, parseAnswer } from './provider-dialects.ts';
import { findSystemProxy, type SystemProxy } from './system-proxy.ts';

export type ProviderRequest = {
  readonly provider: KnownProvider;
  readonly model: string;
  /** The summary of the trace, sent unchanged after the instruction. */
  readonly summary: string;
  readonly key: string | null;
  /** Aborted when the user has disconnected or the time of the request is up. */
  readonly signal: AbortSignal;
  /** Environment variables with the system's proxy settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds for the whole exchange. Tests set it; the default is 20,000. */
  readonly timeoutMs?: number;
};

/**
 * Asks once, without a retry or a redirect. The decoded answer is counted as it arrives and is cut
 * off over its limit. Throws `provider_error`, `provider_timeout` and
 * `provider_response_too_large`. No error and no answer contains the key.
 */
export async function askProvider(request: ProviderRequest): Promise<string> {
  const { provider, key } = request;
  const { headers, body } = formatQuestion(provider.dialect, request.model, request.summary, key);
  const late = AbortSignal.timeout(request.timeoutMs ?? AGENT_LIMITS.provider_ms);
  const over = new AbortController();
  const proxy = isLoopbackUrl(provider.url)
    ? null
    : findSystemProxy(request.env, (why) => failed(provider, why));
  try {
    const question = {
      method: 'POST',
      headers: { ...headers, ...PLAIN_HEADERS },
      body,
      signal: AbortSignal.any([late, request.signal, over.signal]),
    };
    const response = await send(provider.url, question, proxy);
    const text = await readBounded(response, over);
    if (!response.ok) throw refused(provider, response.status, formatProviderFault(text, key));
    const answer = parseAnswer(provider.dialect, text);
    if (answer === null) throw failed(provider, 'its answer has an unknown format');
    return key === null ? answer : answer.replaceAll(key, '[key]');
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (late.aborted) {
      throw failure(
        'provider_timeout',
        `Cannot get an answer from ${provider.id}: it did not answer in time`,
      );
    }
    throw failed(provider, describeFailure(error, provider, proxy));
  }
}

const PLAIN_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'user-agent': 'svc',
};

type Question = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
};

/**
 * Sends the question once and follows no redirect. It does not use `fetch`: with
 * `NODE_USE_ENV_PROXY=1`, `fetch` would send questions for this machine to a proxy, and it retries
 * endlessly when a proxy closes the connection.
 */
async function send(
  url: string,
  { body, ...options }: Question,
  proxy: SystemProxy | null,
): Promise<Response> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = url.startsWith('https:')
      ? https.request(url, { ...options, agent: new https.Agent(proxyOptions(proxy)) }, resolve)
      : http.request(url, { ...options, agent: new http.Agent() }, resolve);
    request.on('error', reject);
    request.end(body);
  });
  const status = answer.statusCode ?? 0;
  // A Response with one of these statuses must not have a body.
  if ([204, 205, 304].includes(status)) {
    answer.destroy();
    return new Response(null, { status });
  }
  return new Response(Readable.toWeb(decoded(answer)) as ReadableStream<Uint8Array>, { status });
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The decompressed body. Some servers compress although the request does not accept it. */
function decoded(answer: http.IncomingMessage): Readable {
  const decoder = DECODERS.get(answer.headers['content-encoding']?.toLowerCase() ?? '');
  // An error of either stream ends the other, and the reader receives it.
  return decoder === undefined ? answer : pipeline(answer, decoder(), () => {});
}

function proxyOptions(proxy: SystemProxy | null): https.AgentOptions {
  return proxy === null ? {} : { proxyEnv: proxy.settings };
}

function describeFailure(
  error: unknown,
  { url }: KnownProvider,
  proxy: SystemProxy | null,
): string {
  const variable = proxy?.variable ?? 'HTTPS_PROXY';
  const tunnel = error instanceof Error && 'code' in error && error.code === 'ERR_PROXY_TUNNEL';
  if (tunnel) return `the proxy of ${variable} did not connect: ${error.message}`;
  const way = proxy === null ? '' : ` through the proxy that ${variable} names`;
  return `the connection to ${new URL(url).host}${way} failed`;
}

async function readBounded(response: Response, over: AbortController): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > AGENT_LIMITS.provider_response_bytes) {
      over.abort();
      throw failure(
        'provider_response_too_large',
        `Cannot read the provider's answer: it is larger than ${AGENT_LIMITS.provider_response_bytes} bytes`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refused(provider: KnownProvider, status: number, words: string): ApiError {
  if (status >= 300 && status < 400)
    return failed(provider, 'it answered with a redirect, which svc does not follow');
  return failed(provider, `it answered ${status}${words === '' ? '' : `: ${words}`}`);
}

function failed(provider: KnownProvider, why: string): ApiError {
  return failure('provider_error', `Cannot get an answer from ${provider.id}: ${why}`);
}
