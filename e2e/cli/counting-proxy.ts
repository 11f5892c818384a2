// A TCP proxy that counts what a client sends, and cuts connections at any byte.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from '../../packages/cli/test/svc.ts';

export type CountingProxy = {
  readonly url: string;
  /** The bytes that clients have sent, with the heads of requests. */
  readonly sent: number;
  /** Cuts all connections each time when clients have sent as many bytes again. */
  cutEvery(bytes: number): void;
  /** How often it has cut. */
  readonly cuts: number;
};

/** Starts a proxy in front of an address. */
export async function startCountingProxy(t: Cleanup, target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let sent = 0;
  let cuts = 0;
  let every = Number.POSITIVE_INFINITY;
  let next = Number.POSITIVE_INFINITY;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      const before = sent;
      sent += chunk.length;
      if (sent < next) return void upstream.write(chunk);
      upstream.write(chunk.subarray(0, next - before));
      next = sent + every;
      cuts++;
      for (const socket of sockets) socket.destroy();
    });
    client.once('end', () => upstream.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sent() {
      return sent;
    },
    get cuts() {
      return cuts;
    },
    cutEvery(bytes) {
      every = bytes;
      next = sent + bytes;
    },
  };
}
