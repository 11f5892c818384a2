// Finds the path and the first bytes of a file that the kernel has reported.
//
// A name is only trusted if it leads to the reported inode. Every path is first opened with O_PATH,
// which has no effect on the file. A name in hostile output must not make the agent open a device.
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HEAD_BYTES } from './guess-kind.ts';

/**
 * From fcntl.h of Linux, the same on every architecture that Node supports. Node has no constant
 * for it.
 */
const O_PATH = 0o10000000;

/**
 * The most descriptors and mappings that are looked through. In a program with more, some files
 * that were opened before the capture have no name.
 */
const MOST_ENTRIES = 4096;

/** What is known about a file before the lookup. */
export type FileHint = {
  /** Inode, in decimal digits. */
  readonly inode: string;
  readonly fd: number | null;
  /** The name as the program passed it. Null if the file was opened before the capture. */
  readonly name: string | null;
  /**
   * The descriptor of the folder that a relative name starts at. A negative value is the working
   * folder.
   */
  readonly folderFd: number;
};

/** The path of the file, and its first bytes if they were requested and readable. */
export type FoundFile = { readonly path: string; readonly head: Uint8Array | null };

/**
 * Looks up a file. `folder` is its `/proc/PID`. Returns null if no path leads to the inode any
 * more. Never rejects.
 */
export async function lookUpFile(
  folder: string,
  hint: FileHint,
  wantsHead: (path: string) => boolean,
): Promise<FoundFile | null> {
  for (const path of pathsOf(folder, hint)) {
    const found = await openIfSame(path, hint.inode, wantsHead);
    if (found !== null) return found;
  }
  return null;
}

/** The paths to try. The name comes first, because the descriptor has often been closed. */
function* pathsOf(folder: string, { fd, name, folderFd }: FileHint): Generator<string> {
  if (name?.startsWith('/')) yield `${folder}/root${name}`;
  else if (name !== null) {
    yield folderFd < 0 ? `${folder}/cwd/${name}` : `${folder}/fd/${folderFd}/${name}`;
  }
  if (fd !== null) yield `${folder}/fd/${fd}`;
}

async function openIfSame(
  path: string,
  inode: string,
  wantsHead: (path: string) => boolean,
): Promise<FoundFile | null> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, O_PATH);
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile() || String(facts.ino) !== inode) return null;
    const own = `/proc/self/fd/${handle.fd}`;
    const real = await readlink(own);
    return { path: real, head: wantsHead(real) ? await readHead(own) : null };
  } catch {
    return null; // closed, deleted, renamed or forbidden meanwhile
  } finally {
    await handle?.close();
  }
}

/** Reads the first bytes of a file that is already open. Null if this user may not read it. */
async function readHead(path: string): Promise<Uint8Array | null> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

/**
 * Maps inodes to the paths of the regular files that the process has open or mapped. Never rejects.
 */
export async function listOpenFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const [inode, path] of await mappedFiles(folder)) files.set(inode, path);
  for (const fd of await entriesOf(join(folder, 'fd'))) {
    const found = await openFile(`${folder}/fd/${fd}`);
    if (found !== null) files.set(found.inode, found.path);
  }
  return files;
}

async function openFile(path: string): Promise<{ inode: string; path: string } | null> {
  try {
    const { ino } = await stat(path, { bigint: true });
    const real = await readlink(path);
    return real.startsWith('/') ? { inode: String(ino), path: real } : null;
  } catch {
    return null;
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).slice(0, MOST_ENTRIES);
  } catch {
    return [];
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_maps.5.html: address, perms, offset, device, inode, path. */
const MAPPING = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ (\d+) +(\/.*)$/gm;

async function mappedFiles(folder: string): Promise<[inode: string, path: string][]> {
  try {
    const text = await readFile(join(folder, 'maps'), 'utf8');
    return [...text.matchAll(MAPPING)].map(([, inode = '', path = '']) => [inode, path]);
  } catch {
    return [];
  }
}
