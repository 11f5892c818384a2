// The one file of the agent that opens a connection to another machine, and only when the person has asked for an analysis.
import type { IncomingMessage } from 'node:http';
import { Agent, request as openRequest } from 'node:https';
import { Readable } from 'node:stream';
import { AGENT_LIMITS } from '@svc/contracts/agent';
import { ApiError } from '@svc/serve';
import { formatProviderFault, formatQuestion, parseAnswer } from './provider-dialects.ts';
import { isLoopbackUrl, type KnownProvider } from './providers.ts';
import { findSystemProxy, type SystemProxy } from './system-proxy.ts';

export type ProviderRequest = {
  readonly provider: KnownProvider;
  readonly model: string;
  /** Sent as it is, after the instruction. */
  readonly summary: string;
  readonly key: string | null;
  /** The person has gone, or the time of their request is up. */
  readonly signal: AbortSignal;
  /** For the system's proxy settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds for everything, where a test can't wait for 20,000. */
  readonly timeoutMs?: number;
};

/**
 * Asks once: no retry, no redirect. The answer is counted, decoded, as it streams, and cut off over its limit. Throws
 * `provider_error`, `provider_timeout`, `provider_response_too_large`. Neither these nor an answer hold the key.
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
      headers: { ...headers, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body,
      signal: AbortSignal.any([late, request.signal, over.signal]),
    };
    const response =
      proxy === null
        ? await fetch(provider.url, { ...question, redirect: 'manual' })
        : await fetchByProxy(provider.url, question, proxy);
    const text = await readBounded(response, over);
    if (!response.ok) throw refused(provider, response.status, formatProviderFault(text, key));
    const answer = parseAnswer(provider.dialect, text);
    if (answer === null) throw failed(provider, 'its answer is of an unknown form');
    return key === null ? answer : answer.replaceAll(key, '[key]');
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (late.aborted) {
      throw new ApiError(
        'provider_timeout',
        `Cannot get an answer from ${provider.id}: its time is up`,
      );
    }
    throw failed(provider, describeFailure(error, provider, proxy));
  }
}

type Question = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
};

/** As `fetch` by a proxy, which is asked once: `fetch` would ask one that closes the connection again and again. */
async function fetchByProxy(
  url: string,
  { body, ...options }: Question,
  { settings }: SystemProxy,
): Promise<Response> {
  const agent = new Agent({ proxyEnv: settings });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = openRequest(url, { ...options, agent }, resolve);
    request.on('error', reject);
    request.end(body);
  });
  const status = answer.statusCode ?? 0;
  // A Response with one of these may have no body.
  if ([204, 205, 304].includes(status)) {
    answer.destroy();
    return new Response(null, { status });
  }
  const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
  return new Response(stream, { status });
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
      throw new ApiError(
        'provider_response_too_large',
        `Cannot take the provider's answer: it is over ${AGENT_LIMITS.provider_response_bytes} bytes`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refused(provider: KnownProvider, status: number, words: string): ApiError {
  if (status >= 300 && status < 400) return failed(provider, 'it redirects, which is not followed');
  return failed(provider, `it answered ${status}${words === '' ? '' : `: ${words}`}`);
}

function failed(provider: KnownProvider, why: string): ApiError {
  return new ApiError('provider_error', `Cannot get an answer from ${provider.id}: ${why}`);
}
