// Turns Node's errors into messages that name the server or the proxy, and the next step.
import { maxHeaderSize } from 'node:http';
import { bytesText } from '@svc/trace/number-text';
import { NetworkError } from './network-error.ts';
import { ProxyRefusedError, type Step } from './open-connection.ts';
import type { ProxyServer } from './proxy.ts';
import { explainTls, isTlsFault } from './tls-faults.ts';

export type FailedStep = {
  readonly url: URL;
  readonly proxy: ProxyServer | null;
  readonly step: Step;
  /** The limit that was exceeded, in milliseconds. Null if something else failed. */
  readonly lateMs: number | null;
};

const RETRY = 'It is safe to try again.';

/** The error to show for a failed request. */
export function explainFailure(error: unknown, failed: FailedStep): NetworkError {
  const { proxy, step } = failed;
  if (proxy !== null && step === 'proxy') return explainProxy(error, failed, proxy);
  if (proxy !== null && step === 'tunnel') return explainTunnel(error, failed, proxy);
  return explainServer(error, failed);
}

function explainServer(error: unknown, { url, proxy, step, lateMs }: FailedStep): NetworkError {
  const code = codeOf(error);
  const sent = step === 'send' || step === 'wait' || step === 'read';
  const through = proxy === null ? '' : ` through ${nameProxy(proxy)}`;
  if (lateMs !== null) {
    const reason = LATE[step](lateMs / 1000);
    const message = `Cannot reach ${url.origin}${through}: ${reason}.`;
    const hint = `Check the address and the network. ${RETRY}`;
    return new NetworkError('unreachable', message, { hint, sent, transient: false, cause: error });
  }
  if (isTlsFault(code)) {
    const { reason, hint } = explainTls(error, code, url);
    const message = `Cannot reach ${url.origin}${through}: ${reason}.`;
    return new NetworkError('tls_failed', message, { hint, sent, transient: false, cause: error });
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `Cannot read the answer of ${url.origin}: its headers are larger than ${bytesText(maxHeaderSize)}.`;
    const hint = 'Check the address. A publishing platform does not answer like this.';
    return new NetworkError('answer_unreadable', message, { hint, sent, transient: false });
  }
  if (code.startsWith('HPE_')) {
    const message = `Cannot use ${url.origin}: the server does not speak HTTP.`;
    const hint =
      url.protocol === 'http:'
        ? 'Check the port, and whether the address should begin with https:.'
        : 'Check the port.';
    return new NetworkError('answer_unreadable', message, { hint, sent, transient: false });
  }
  const reason = step === 'tls' && code === 'ECONNRESET' ? TLS_CLOSED : reasonFor(code);
  const message = `Cannot reach ${url.origin}${through}: ${reason}.`;
  return new NetworkError('unreachable', message, {
    hint: code === UNKNOWN_HOST ? 'Check the address and the network.' : RETRY,
    sent,
    transient: code !== UNKNOWN_HOST,
    cause: error,
  });
}

/** The host name does not exist, so a retry cannot help. */
const UNKNOWN_HOST = 'ENOTFOUND';
const TLS_CLOSED = 'the connection was closed during the TLS handshake';

const LATE: Readonly<Record<Step, (seconds: number) => string>> = {
  proxy: (seconds) => `no connection within ${seconds} s`,
  tunnel: (seconds) => `no connection within ${seconds} s`,
  connect: (seconds) => `no connection within ${seconds} s`,
  tls: (seconds) => `no TLS handshake within ${seconds} s`,
  send: (seconds) => `it stopped accepting the upload for ${seconds} s`,
  wait: (seconds) => `no answer within ${seconds} s`,
  read: (seconds) => `its answer stopped for ${seconds} s`,
};

function explainProxy(
  error: unknown,
  { url, lateMs }: FailedStep,
  proxy: ProxyServer,
): NetworkError {
  const code = codeOf(error);
  const tls =
    lateMs === null && isTlsFault(code) ? explainTls(error, code, new URL(proxy.origin)) : null;
  const reason = lateMs === null ? (tls?.reason ?? reasonFor(code)) : LATE.proxy(lateMs / 1000);
  return new NetworkError('proxy_failed', `Cannot reach ${nameProxy(proxy)}: ${reason}.`, {
    hint: tls === null ? correct(proxy, url) : `${tls.hint} ${correct(proxy, url)}`,
    sent: false,
    transient: lateMs === null && tls === null && code !== UNKNOWN_HOST,
    cause: error,
  });
}

function explainTunnel(
  error: unknown,
  { url, lateMs }: FailedStep,
  proxy: ProxyServer,
): NetworkError {
  const target = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  const refused = error instanceof ProxyRefusedError ? error : null;
  const reason =
    lateMs !== null
      ? `it did not answer within ${lateMs / 1000} s`
      : refused !== null
        ? tunnelReason(refused, proxy)
        : codeOf(error).startsWith('HPE_')
          ? 'it does not answer as an HTTP proxy'
          : 'it closed the connection without a response';
  const message = `Cannot reach ${target} through ${nameProxy(proxy)}: ${reason}.`;
  return new NetworkError('proxy_failed', message, {
    hint: refused?.status === 407 ? credentials(proxy) : correct(proxy, url),
    sent: false,
    transient: lateMs === null && (refused === null || [502, 503, 504].includes(refused.status)),
    cause: error,
  });
}

function tunnelReason({ status, reason }: ProxyRefusedError, proxy: ProxyServer): string {
  if (status === 407) {
    return proxy.authorization === null
      ? 'it requires a user name and password (407)'
      : 'it rejected the user name and password (407)';
  }
  const words = reason === '' ? String(status) : `${status} ${reason}`;
  if ([502, 503, 504].includes(status)) return `the proxy cannot connect to it (${words})`;
  return `the proxy refuses to connect to it (${words})`;
}

function nameProxy(proxy: ProxyServer): string {
  return `the proxy ${proxy.origin} (from ${proxy.variable})`;
}

function credentials({ origin, variable }: ProxyServer): string {
  const example = origin.replace('://', '://USER:PASSWORD@');
  return `Set ${variable} to ${example}. Write special characters percent-encoded: @ is %40.`;
}

function correct({ variable }: ProxyServer, { hostname }: URL): string {
  return `Correct ${variable}, or add ${hostname} to NO_PROXY to connect without the proxy.`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the name lookup failed',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it does not respond',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed',
};

function reasonFor(code: string): string {
  return REASONS[code] ?? (code === '' ? 'the connection failed' : code);
}

/** The code of an error, or of the first error of an AggregateError. Empty if there is none. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return '';
}
