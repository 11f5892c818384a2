// Tracks the connections of a server: which of them have a running request, how many may be open
// without a trusted request, and how idle ones are closed.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The interval at which idle connections are closed while the server closes. A partly sent request
 * may complete meanwhile.
 */
const IDLE_CHECK_MS = 1_000;

export type Connections = {
  /** Starts to track the server's connections. Its request listener runs before all others. */
  watch(server: Server): void;
  /** Exempts the connection from the bound on untrusted ones. */
  trust(socket: Socket): void;
  /**
   * Closes idle connections repeatedly, and the rest after `graceMs`, including those that were
   * taken over.
   */
  endAll(graceMs: number): Disposable;
};

/**
 * If more than `mostUntrusted` connections are not trusted, one is dropped: the oldest without a
 * running request, or else the oldest. Null means no bound.
 */
export function createConnections(mostUntrusted: number | null): Connections {
  const open = new Set<Socket>();
  /** In order of arrival. */
  const untrusted = new Set<Socket>();
  const takenOver = new WeakSet<Socket>();
  const working = new Map<Socket, number>();
  const begin = (socket: Socket): (() => void) => {
    working.set(socket, (working.get(socket) ?? 0) + 1);
    return () => {
      const left = (working.get(socket) ?? 1) - 1;
      if (left === 0) working.delete(socket);
      else working.set(socket, left);
    };
  };
  const endIdle = (): void => {
    for (const socket of open) {
      if (!working.has(socket) && !takenOver.has(socket)) socket.destroySoon();
    }
  };
  const dropAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  const dropOldest = (): void => {
    const [oldest] = untrusted;
    const idle = [...untrusted].find((socket) => !working.has(socket));
    const dropped = idle ?? oldest;
    if (dropped === undefined) return;
    untrusted.delete(dropped);
    dropped.destroy();
  };
  return {
    trust: (socket) => void untrusted.delete(socket),
    watch(server) {
      server.on('connection', (socket: Socket) => {
        open.add(socket);
        if (mostUntrusted !== null) untrusted.add(socket);
        socket.once('close', () => {
          open.delete(socket);
          untrusted.delete(socket);
        });
        if (mostUntrusted !== null && untrusted.size > mostUntrusted) dropOldest();
      });
      server.prependListener('request', ({ socket }, response) => {
        response.once('close', begin(socket));
      });
      server.on('upgrade', ({ socket }) => takenOver.add(socket));
    },
    endAll(graceMs) {
      const checks = setInterval(endIdle, IDLE_CHECK_MS);
      const end = setTimeout(dropAll, graceMs);
      return {
        [Symbol.dispose]() {
          clearInterval(checks);
          clearTimeout(end);
          dropAll();
        },
      };
    },
  };
}
