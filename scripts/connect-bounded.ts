// Connections with a time limit for tests.
import { connect, type Socket } from 'node:net';

/** Connects to this machine. If the connection is still open after `patienceMs`, it is destroyed with an error. */
export function connectBounded(port: number, patienceMs = 60_000): Socket {
  const socket = connect(port, '127.0.0.1');
  const timer = setTimeout(() => {
    socket.destroy(new Error(`the connection is still open after ${patienceMs} ms`));
  }, patienceMs).unref();
  return socket.once('close', () => clearTimeout(timer));
}
