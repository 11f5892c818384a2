// Servers below HTTP for tests: proxies, TLS, and a server that accepts connections and stays silent.
import type { RequestListener } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Certificate } from './certificates.ts';
import type { Cleanup } from './svc.ts';

/** Listens on a free port of this machine. Closed with all its connections when the test ends. */
export async function listen(t: Cleanup, server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that accepts connections, reads what arrives and never answers. Returns its port. */
export async function startSilentServer(t: Cleanup): Promise<number> {
  return await listen(
    t,
    createServer((socket) => socket.resume()),
  );
}

/** A port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** An HTTPS server. Returns its port. */
export async function startTlsServer(
  t: Cleanup,
  certificate: Certificate,
  listener: RequestListener,
): Promise<number> {
  const server = createTlsServer({ ...certificate }, listener);
  server.on('tlsClientError', () => {});
  return await listen(t, server);
}

/** How a proxy answers CONNECT: with a status, by closing the connection, not at all, or with a tunnel to a port. */
export type ProxyManner = number | 'drop' | 'silent' | { readonly to: number };

export type TestProxy = {
  readonly url: string;
  readonly port: number;
  /** Target and `Proxy-Authorization` of each CONNECT so far. */
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[];
};

/** An HTTP proxy with this behaviour. */
export async function startProxy(t: Cleanup, manner: ProxyManner): Promise<TestProxy> {
  const asked: { target: string; authorization: string | undefined }[] = [];
  const server = createHttpServer();
  server.on('connect', (request, socket: Socket) => {
    asked.push({
      target: request.url ?? '',
      authorization: request.headers['proxy-authorization'],
    });
    if (manner === 'silent') return;
    if (manner === 'drop') socket.destroy();
    else if (typeof manner === 'number') socket.end(`HTTP/1.1 ${manner} No\r\n\r\n`);
    else {
      const onward = connect(manner.to, '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    }
  });
  const port = await listen(t, server);
  return { url: `http://127.0.0.1:${port}`, port, asked };
}
