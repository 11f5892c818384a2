// A TCP proxy that fails in the ways in which networks and servers fail.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * What the proxy does with connections and bytes:
 * - `pass`: forwards all;
 * - `delay`: forwards each chunk `ms` later;
 * - `drop`: reads all and forwards nothing, as a server that hangs or a network that loses all packets;
 * - `truncate`: forwards `bytes` of each connection's answers, then cuts it;
 * - `refuse`: cuts new connections;
 * - `cut`: cuts the first connection on which a client has sent the texts in this order, before the server gets the last one
 *   or before the client gets its answer. Then it passes.
 */
type Fault =
  | { readonly kind: 'pass' | 'drop' | 'refuse' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'truncate'; readonly bytes: number }
  | { readonly kind: 'cut'; readonly texts: readonly string[]; readonly when: 'before' | 'after' };

export type FlakyProxy = AsyncDisposable & {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** The number of open connections. */
  readonly open: number;
  /**
   * Sets what happens to bytes from now on, on open and new connections. With `only`, it happens to the connections whose
   * first bytes contain the text, and the others pass.
   */
  behave(fault: Fault, only?: string): void;
  /** Cuts all open connections. */
  cut(): void;
};

type Target = { readonly path: string } | { readonly port: number; readonly host: string };

const PASS: Fault = { kind: 'pass' };

/** Starts a proxy in front of a server. */
export async function startFlakyProxy(target: Target): Promise<FlakyProxy> {
  let fault = PASS;
  let only = '';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (fault.kind === 'refuse' && only === '') return void client.destroy();
    const upstream = connect(target);
    let first = '';
    const faultNow = (): Fault => (first.includes(only) ? fault : PASS);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.once('data', (chunk) => {
      first = chunk.toString('latin1');
      if (faultNow().kind === 'refuse') client.destroy();
    });
    let seen = 0;
    client.on('data', (chunk) => {
      if (fault.kind !== 'cut' || !chunk.includes(fault.texts[seen] ?? '')) return;
      if (++seen < fault.texts.length) return;
      if (fault.when === 'before') {
        client.destroy();
        upstream.destroy();
      } else upstream.prependOnceListener('data', () => client.destroy());
      fault = PASS;
    });
    forward(client, upstream, faultNow);
    forward(upstream, client, faultNow, () => client.destroySoon());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return sockets.size / 2;
    },
    behave(next, connections = '') {
      fault = next;
      only = connections;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Forwards bytes and the end in one direction. With `onTruncated`, the fault `truncate` applies to this direction. */
function forward(from: Socket, to: Socket, faultNow: () => Fault, onTruncated?: () => void): void {
  let sent = 0;
  /** Chunks stay in order when the fault changes. */
  let earlier = Promise.resolve();
  from.on('data', (chunk) => {
    const fault = faultNow();
    if (fault.kind === 'drop') return;
    const delay = fault.kind === 'delay' ? setTimeout(fault.ms) : null;
    if (fault.kind !== 'truncate' || onTruncated === undefined) {
      earlier = Promise.all([earlier, delay]).then(() => void to.write(chunk));
      return;
    }
    to.write(chunk.subarray(0, Math.max(0, fault.bytes - sent)));
    sent += chunk.length;
    if (sent >= fault.bytes) onTruncated();
  });
  from.on('end', () => {
    if (faultNow().kind !== 'drop') void earlier.then(() => to.end());
  });
}
