// Sends one request: no redirect followed, a deadline on silence, the whole answer or an error.
import * as http from 'node:http';
import { isLoopback } from './api-address.ts';

/** How long the other side may be silent: no connection, no byte taken, no byte of an answer. */
const SILENCE_MS = 120_000;
/** More than any JSON answer of the platform. */
const ANSWER_BYTES = 32 * 1024 * 1024;

/** No answer, or half of one. `sent` says whether the server may have acted on the request. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly sent: boolean;
  readonly code: 'unreachable' | 'redirected' | 'answer_unreadable';
  readonly hint: string;
  readonly exitCode: 10 | 11;

  constructor(
    code: UnreachableError['code'],
    message: string,
    extras: { sent: boolean; hint: string; cause?: unknown },
  ) {
    super(message, { cause: extras.cause });
    this.code = code;
    this.sent = extras.sent;
    this.hint = extras.hint;
    this.exitCode = code === 'unreachable' ? 10 : 11;
  }
}

/** As `fetch`, but the answer's body is read whole, and a redirect is an error: a token must not follow one. */
export async function sendSafely(address: string, init: RequestInit): Promise<Response> {
  useProxySettings(address);
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  const signals = [silence.signal, ...(init.signal ? [init.signal] : [])];
  const request = { ...init, redirect: 'manual', signal: AbortSignal.any(signals) } as const;
  try {
    const answer = await fetch(address, withHeartbeat(request, heard));
    heard();
    refuseRedirect(answer, address);
    return new Response(emptyOr(answer, await readWhole(answer, heard)), {
      status: answer.status,
      headers: answer.headers,
    });
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    if (error instanceof UnreachableError) throw error;
    throw unreachable(address, error, silence.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

let proxyIsSet = false;

/** HTTPS_PROXY and NO_PROXY are honoured, though not for this machine. */
function useProxySettings(address: string): void {
  if (proxyIsSet || isLoopback(new URL(address).hostname)) return;
  proxyIsSet = true;
  http.setGlobalProxyFromEnv();
}

/** Each chunk of an upload that is taken counts as a sign of life. */
function withHeartbeat(init: RequestInit, heard: () => void): RequestInit {
  if (!(init.body instanceof ReadableStream)) return init;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      heard();
      controller.enqueue(chunk);
    },
  });
  return { ...init, body: init.body.pipeThrough(watch) };
}

function refuseRedirect(answer: Response, address: string): void {
  if (answer.status < 300 || answer.status > 399 || answer.status === 304) return;
  const location = answer.headers.get('location') ?? '';
  const target = URL.canParse(location, address) ? new URL(location, address) : null;
  const elsewhere = target === null ? '' : ` to ${target.origin}`;
  throw new UnreachableError(
    'redirected',
    `Cannot use ${new URL(address).origin}: it redirects${elsewhere}, and your token is not sent there.`,
    {
      sent: false,
      hint: 'If the platform has moved, log in at its new address: svc login --api …',
    },
  );
}

async function readWhole(answer: Response, heard: () => void): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    heard();
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES) {
      throw new UnreachableError('answer_unreadable', 'Cannot read the answer: it does not end.', {
        sent: true,
        hint: 'Is this the address of a publishing platform?',
      });
    }
    chunks.push(chunk);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** A Response with one of these statuses must be made without a body. */
function emptyOr(answer: Response, body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  return [101, 204, 205, 304].includes(answer.status) ? null : body;
}

/** Errors that come before a byte of the request was sent. */
const NOT_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed in the middle',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
};

function unreachable(address: string, error: unknown, silent: boolean): UnreachableError {
  const code = causeCode(error);
  const reason = silent
    ? `no sign of life for ${SILENCE_MS / 1000} s`
    : (REASONS[code] ?? (code === '' ? 'the connection failed' : code));
  return new UnreachableError(
    'unreachable',
    `Cannot reach ${new URL(address).origin}: ${reason}.`,
    { sent: !NOT_SENT.includes(code), hint: 'It is safe to try again.', cause: error },
  );
}

/** The first code in a chain of causes, in which fetch hides what happened. */
function causeCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at instanceof AggregateError && at.errors.length > 0) return causeCode(at.errors[0]);
  }
  return '';
}
