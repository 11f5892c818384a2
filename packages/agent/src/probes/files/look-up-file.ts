// Finds where a file stands, and what it begins with, by what the kernel told of it.
//
// A name is only believed when what it leads to has the inode that was told. Everything is opened with O_PATH first,
// which touches nothing: a name in hostile output must not make the agent open a device.
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HEAD_BYTES } from './guess-kind.ts';

/** fcntl.h of Linux on every machine that Node runs on; Node does not name it. */
const O_PATH = 0o10000000;

/** Descriptors and mappings looked through at most: a program with more keeps its oldest without a name. */
const MOST_ENTRIES = 4096;

/** What is known of a file before it is looked up. */
export type FileHint = {
  /** Inode, in decimal digits. */
  readonly inode: string;
  readonly fd: number | null;
  /** As the program gave it; null where it was opened before. */
  readonly name: string | null;
  /** What a relative name begins at; a negative one is the working folder. */
  readonly folderFd: number;
};

/** Where the file stands, and its first bytes where they were wanted. */
export type FoundFile = { readonly path: string; readonly head: Uint8Array | null };

/** Looks a file up below `/proc/PID` (`folder`); null where nothing has its inode any more. Never rejects. */
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

/** Where to look: a name holds for longer than a descriptor, which is often closed by now. */
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

/** The first bytes of a file that is held already; null where this user may not read it. */
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

/** Inode → path of the regular files that the process has open or mapped. Never rejects. */
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
