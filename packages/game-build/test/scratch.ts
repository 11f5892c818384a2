// Shared parts of this package's tests: scratch folders, small trees of files, external programs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** A folder that is removed at the end of its scope. */
export async function scratchFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'svc-game-build-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Writes files and their folders. */
export async function writeTree(
  folder: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), data);
  }
}

/** SHA-256 of each regular file below a folder, by its path, sorted. */
export async function hashTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const hashes: [string, string][] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const kind = entry.isFile() ? await readFile(path) : Buffer.from('not a regular file');
    hashes.push([relative(folder, path), sha256(kind)]);
  }
  return Object.fromEntries(hashes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

export type Ran = {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
};

/** Runs a program to its end, in a UTF-8 locale by default. */
export function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; input?: string | Buffer; env?: Record<string, string> } = {},
): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: options.cwd,
    input: options.input ?? '',
    env: { ...process.env, LC_ALL: 'C.UTF-8', ...options.env },
    maxBuffer: 1 << 30,
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr: stderr.toString() };
}

/** The reason why tests with these programs cannot run here, or false. */
export function missing(...programs: readonly string[]): string | false {
  const folders = (process.env['PATH'] ?? '').split(':');
  const absent = programs.filter((name) => !folders.some((one) => existsSync(join(one, name))));
  return absent.length === 0 ? false : `not installed: ${absent.join(', ')}`;
}
