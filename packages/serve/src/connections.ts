// The connections of a server: which of them have work under way, how many may be open without a trusted request, and how
// those that have no work are ended.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Between looks for connections without work, once the server is closing: what is half-sent by then may arrive whole. */
const IDLE_LOOK_MS = 1_000;

export type Connections = {
  /** Takes the server's connections into view, and its requests before any other listener does. */
  watch(server: Server): void;
  /** No longer counts the connection among those that are bounded. */
  trust(socket: Socket): void;
  /** Ends connections without work, now and again; those that were taken over only with the rest, after `graceMs`. */
  endAll(graceMs: number): Disposable;
};

/** With more than `mostUntrusted` connections that are not trusted, the oldest of them is dropped; null for no bound. */
export function createConnections(mostUntrusted: number | null): Connections {
  const open = new Set<Socket>();
  /** In the order in which they came. */
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
      const looks = setInterval(endIdle, IDLE_LOOK_MS);
      const end = setTimeout(dropAll, graceMs);
      return {
        [Symbol.dispose]() {
          clearInterval(looks);
          clearTimeout(end);
          dropAll();
        },
      };
    },
  };
}
