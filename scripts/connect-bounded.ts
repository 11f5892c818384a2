// A connection of a test, which never waits for ever.
import { connect, type Socket } from 'node:net';

/** Connects to this machine. Where the connection is open after `patienceMs` it ends with an error, for whoever reads it. */
export function connectBounded(port: number, patienceMs = 60_000): Socket {
  const socket = connect(port, '127.0.0.1');
  const timer = setTimeout(() => {
    socket.destroy(new Error(`the connection is still open after ${patienceMs} ms`));
  }, patienceMs).unref();
  return socket.once('close', () => clearTimeout(timer));
}
