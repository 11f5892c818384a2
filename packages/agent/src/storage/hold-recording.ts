// Who holds a recording: a living agent listens on an abstract Unix socket named after the file. The kernel frees the name
// the moment the agent dies, also by kill -9, and leaves nothing on disk.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/** Takes hold of a recording until disposed. The descriptor or path must be of the file as it stands on disk. */
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

/** Whether a living agent on this machine holds the recording. */
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

/** By device and inode: the same file has one name, whichever way it is spelled. */
function nameOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  const hash = createHash('sha256').update(`${dev}:${ino}`).digest('hex');
  return `\0svc-recording-${hash}`;
}
