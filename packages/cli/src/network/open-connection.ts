// Opens the connection of one request: TCP, a tunnel through a proxy if needed, then TLS.
import * as http from 'node:http';
import * as https from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { bareHost, type ProxyServer } from './proxy.ts';

/** The steps of a request, in order. Error messages depend on the step that failed. */
export type Step = 'proxy' | 'tunnel' | 'connect' | 'tls' | 'send' | 'wait' | 'read';

/** The proxy answered CONNECT with an error status. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
  readonly status: number;
  readonly reason: string;
  constructor(status: number, reason: string) {
    super(`CONNECT: ${status} ${reason}`);
    this.status = status;
    this.reason = reason;
  }
}

/** How long each address of a host is tried before the next one. */
const NEXT_ADDRESS_MS = 2000;

/**
 * Opens a socket for a request to `url`. Tries once. Throws Node's errors, {@link ProxyRefusedError} or the signal's reason;
 * the socket is closed then. `onStep` is called before each step.
 */
export async function openConnection(
  url: URL,
  proxy: ProxyServer | null,
  signal: AbortSignal,
  onStep: (step: Step) => void,
): Promise<Socket> {
  onStep(proxy === null ? 'connect' : 'proxy');
  const first = new URL(proxy?.origin ?? url.origin);
  let socket = await reach(first, signal);
  if (proxy !== null && first.protocol === 'https:') socket = await secure(socket, first, signal);
  if (url.protocol !== 'https:') return socket;
  if (proxy !== null) {
    onStep('tunnel');
    socket = await tunnel(socket, url, proxy, signal);
  }
  onStep('tls');
  return await secure(socket, url, signal);
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

async function reach(url: URL, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({
    host: bareHost(url.hostname),
    port: portOf(url),
    noDelay: true,
    keepAlive: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  // The TLS socket on top reports errors. Without this listener, an error of this socket would end the program.
  socket.on('error', () => {});
  return await ready(socket, 'connect', signal);
}

async function secure(socket: Socket, url: URL, signal: AbortSignal): Promise<Socket> {
  const host = bareHost(url.hostname);
  const secured = connectTls({
    socket,
    host,
    // SNI takes names only, no IP addresses.
    ...(host === url.hostname && !/^[\d.]+$/.test(host) ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
  });
  // The request reports errors after the handshake. Without this listener, they would end the program.
  secured.on('error', () => {});
  return await ready(secured, 'secureConnect', signal);
}

/** Waits for the event. Closes the socket if an error or the signal comes first. */
function ready<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      signal.removeEventListener('abort', stop);
      socket.off('error', fail);
      socket.off('close', closed);
      finish();
    };
    const fail = (error: unknown): void => {
      settle(() => {
        socket.on('error', () => {});
        socket.destroy();
        reject(error);
      });
    };
    const stop = (): void => fail(signal.reason);
    const closed = (): void => fail(closedEarly());
    socket.once(event, () => settle(() => resolve(socket)));
    socket.on('error', fail);
    socket.on('close', closed);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}

function closedEarly(): Error {
  return Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
}

/** Asks the proxy once to connect to the host of `url`. */
function tunnel(
  socket: Socket,
  url: URL,
  proxy: ProxyServer,
  signal: AbortSignal,
): Promise<Socket> {
  const target = `${url.hostname}:${portOf(url)}`;
  const { request } = proxy.origin.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const connecting = request({
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
      },
      createConnection: () => socket,
      signal,
    });
    connecting.on('connect', (answer) => {
      const { statusCode = 0, statusMessage = '' } = answer;
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(new ProxyRefusedError(statusCode, statusMessage));
    });
    connecting.on('error', (error) => {
      socket.destroy();
      reject(error);
    });
    connecting.end();
  });
}
