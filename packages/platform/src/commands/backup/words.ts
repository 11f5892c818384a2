// What the commands for backups have in common: the files of keys, and their output.
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { formatNumber } from '@svc/contracts/faults';
import { createUnseal, type Unseal } from '../../backup/sealing.ts';
import { listSnapshots } from '../../backup/snapshot.ts';
import type { FileStore } from '../../files/file-store.ts';
import { openSpool, type Spool } from '../../files/spool.ts';
import type { Settings } from '../../start/settings.ts';

const MIB = 1024 * 1024;

/** Reads the lines of a file of keys of age, without empty lines and comments. */
export async function readKeys(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0) throw new Error(`The file "${path}" contains no key`);
  return keys;
}

/** Reads the identities of `--identity`. Null if it is not given. */
export async function readUnseal(path: string | undefined): Promise<Unseal | null> {
  return path === undefined ? null : createUnseal(await readKeys(path));
}

/** Returns the id of the newest backup. Throws if there is none. */
export async function newestId(target: FileStore): Promise<string> {
  const newest = (await listSnapshots(target)).at(-1);
  if (newest === undefined) throw new Error('The target has no backup');
  return newest;
}

/** Opens a spool for a command without a data folder. */
export function openOwnSpool({ spoolDir }: Settings): Spool {
  return openSpool(resolve(spoolDir ?? tmpdir()));
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function count(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function mebibytes(bytes: number): string {
  return `${formatNumber(Math.ceil(bytes / MIB))} MiB`;
}
