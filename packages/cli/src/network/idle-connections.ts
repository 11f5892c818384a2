// Connections that are open between two requests of one run, so that the parts of an upload do not each open one.
import type { Socket } from 'node:net';

export type IdleConnections = {
  /** Returns an open connection to the origin. Null if there is none. */
  take(origin: string): Socket | null;
  /** Keeps a connection whose last response is complete. It does not keep the process alive. */
  keep(origin: string, socket: Socket): void;
};

const MOST = 8;

type Idle = {
  readonly origin: string;
  readonly socket: Socket;
  /** Forgets the connection. An error has no other listener, and would end the process. */
  readonly forget: () => void;
};

export function createIdleConnections(): IdleConnections {
  const idle = new Set<Idle>();
  return {
    take(origin) {
      const found = [...idle].findLast((one) => one.origin === origin && isOpen(one.socket));
      if (found === undefined) return null;
      const { socket, forget } = found;
      idle.delete(found);
      socket.off('close', forget).off('error', forget).ref();
      return socket;
    },
    keep(origin, socket) {
      if (!isOpen(socket) || idle.size >= MOST) {
        socket.destroy();
        return;
      }
      const one: Idle = { origin, socket, forget: () => idle.delete(one) };
      idle.add(one);
      socket.on('close', one.forget).on('error', one.forget).unref();
    },
  };
}

function isOpen(socket: Socket): boolean {
  return !socket.destroyed && socket.readable && socket.writable;
}
