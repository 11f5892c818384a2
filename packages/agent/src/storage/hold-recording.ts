// Marks a recording as in use. A running agent listens on an abstract Unix socket whose name is
// derived from the file. The kernel frees the name when the agent dies, even by SIGKILL, and leaves
// nothing on disk.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/** Holds a recording until disposed of. `path` must lead to the file on disk. */
export async function holdRecording(path: string): Promise<AsyncDisposable> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  const held = Promise.withResolvers<void>();
  server.once('error', held.reject);
  server.listen(nameOf(path), held.resolve);
  await held.promise;
  return {
    [Symbol.asyncDispose]: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      return promise;
    },
  };
}

/** Whether a running agent on this machine holds the recording. */
export function isHeld(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ path: nameOf(path) });
  socket.once('connect', () => {
    socket.destroy();
    resolve(true);
  });
  socket.once('error', () => resolve(false));
  return promise;
}

/**
 * The socket name of a file, from its device and inode. It is the same for every path to the file.
 */
function nameOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  const hash = createHash('sha256').update(`${dev}:${ino}`).digest('hex');
  return `\0svc-recording-${hash}`;
}
