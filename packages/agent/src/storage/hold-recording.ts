// Marks a recording as in use. A running agent listens at a local address that is derived from the file. On Linux and Windows the kernel
// frees the address when the agent dies, even by SIGKILL, and leaves nothing on disk. Elsewhere the address is a socket in the user's data
// folder. A killed agent leaves it there, and the next look at the recording removes it.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '@svc/contracts/caught';

/** Holds a recording until disposed of. `path` must lead to the file on disk. Rejects with `EADDRINUSE` if it is held already. */
export async function holdRecording(path: string): Promise<AsyncDisposable> {
  if (isOnDisk()) {
    mkdirSync(socketFolder(), { recursive: true, mode: 0o700 });
    await isHeld(path);
  }
  const server = createServer((socket) => socket.destroy());
  server.unref();
  const held = Promise.withResolvers<void>();
  server.once('error', held.reject);
  server.listen(addressOf(path), held.resolve);
  await held.promise;
  return {
    [Symbol.asyncDispose]: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      return promise;
    },
  };
}

/** Whether a running agent of this user on this machine holds the recording. */
export async function isHeld(path: string): Promise<boolean> {
  const address = addressOf(path);
  const state = await stateOf(address);
  if (state === 'left behind' && isOnDisk()) await removeLeftBehind(address);
  return state === 'held';
}

type AddressState = 'held' | 'free' | 'left behind';

function stateOf(address: string): Promise<AddressState> {
  const { promise, resolve } = Promise.withResolvers<AddressState>();
  const socket = connect({ path: address });
  socket.once('connect', () => {
    socket.destroy();
    resolve('held');
  });
  socket.once('error', (error) => {
    const code = codeOf(error);
    if (code === 'ECONNREFUSED') resolve('left behind');
    else resolve(code === 'ENOENT' ? 'free' : 'held');
  });
  return promise;
}

/** Two agents may find the same socket: one that is in use again by now gets its name back. */
async function removeLeftBehind(address: string): Promise<void> {
  const aside = `${address}-${randomBytes(4).toString('hex')}`;
  try {
    await rename(address, aside);
    if ((await stateOf(aside)) === 'held') await rename(aside, address);
    else await unlink(aside);
  } catch {
    // Another agent has removed it.
  }
}

/** Whether an address is a file, which stays after a kill. */
function isOnDisk(): boolean {
  return process.platform !== 'linux' && process.platform !== 'win32';
}

/** The same for all shells of a user, unlike the folder for temporary files. The path of a socket has at most 103 bytes. */
function socketFolder(): string {
  return join(homedir(), '.local', 'share', 'svc');
}

/**
 * The address of a file, from its device and inode. It is the same for every path to the file.
 */
function addressOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  const hash = createHash('sha256').update(`${dev}:${ino}`).digest('hex');
  if (process.platform === 'linux') return `\0svc-recording-${hash}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\svc-recording-${hash}`;
  return join(socketFolder(), `held-${hash.slice(0, 24)}`);
}
