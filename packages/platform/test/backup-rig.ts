// Backups of a platform that a test has opened, and platforms that are restored from them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { nameTarget } from '../src/backup/open-target.ts';
import { type Restoration, restoreBackup } from '../src/backup/restore-backup.ts';
import { createSeal, createUnseal } from '../src/backup/sealing.ts';
import { listSnapshots } from '../src/backup/snapshot.ts';
import { verifyBackups } from '../src/backup/verify-backup.ts';
import { type FinishedBackup, writeBackup } from '../src/backup/write-backup.ts';
import { checkStore } from '../src/check/check-store.ts';
import { openBareDatabase } from '../src/database/bare-database.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { createFolderStore } from '../src/files/folder-store.ts';
import { openSpool } from '../src/files/spool.ts';
import { readSettings } from '../src/index.ts';
import { openFiles } from '../src/start/open-files.ts';
import { openStores } from '../src/start/open-stores.ts';
import { chooseDatabase, type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

const COMMAND_MS = 180_000;
const { signal } = new AbortController();

export type Target = { readonly root: string; readonly store: FileStore };

/** Creates an empty folder for backups, which the end of the test removes. */
export async function newTarget(t: TestContext): Promise<Target> {
  const root = await newFolder(t, 'target');
  return { root, store: nameTarget(createFolderStore(root)) };
}

export async function newFolder(t: TestContext, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `svc-backup-${name}-`));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const MAIN = join(import.meta.dirname, '../src/main.ts');
/** The program starts in half the time if its code is compiled once. */
const compiled = mkdtempSync(join(tmpdir(), 'svc-backup-compiled-'));
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }));

/** Starts `svc-platform` with the arguments, as an operator would. */
export function startCommand(
  args: readonly string[],
  { dataDir, settings: { databaseUrl } }: Place,
  environment: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const hasData = args[0] !== 'backups';
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(
    process.execPath,
    [MAIN, ...args, ...(hasData ? ['--data-dir', dataDir] : [])],
    {
      env: {
        ...inherited,
        NODE_COMPILE_CACHE: compiled,
        ...(databaseUrl !== null && { SVC_DATABASE_URL: databaseUrl }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_MS,
    },
  );
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      output[name] += String(chunk);
    });
  }
  const ended = once(child, 'close').then(([code, killed]) => ({ code, killed, ...output }));
  return { child, ended };
}

type Ended = {
  readonly code: number | null;
  /** The signal that has killed it. */
  readonly killed: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs `svc-platform` with the arguments until it ends. */
export function runCommand(...call: Parameters<typeof startCommand>): Promise<Ended> {
  return startCommand(...call).ended;
}

type BackUpOptions = {
  readonly recipients?: readonly string[];
  /** Changes the file store that is read. */
  readonly changeFiles?: (files: FileStore) => FileStore;
};

/** Backs up a running platform, as a process beside it. `lost` has a line for each lost file. */
export async function backUp(
  { dataDir, settings }: Pick<OpenPlatform, 'dataDir' | 'settings'>,
  target: FileStore,
  { recipients = [], changeFiles = (files) => files }: BackUpOptions = {},
): Promise<FinishedBackup & { readonly lost: readonly string[] }> {
  await using stores = await openStores({ dataDir, settings, log: NO_LOG });
  const { databaseUrl } = settings;
  await using bare = await openBareDatabase({ dataDir, databaseUrl, timeoutMs: 4000 });
  const lost: string[] = [];
  const context = { ...stores, files: changeFiles(stores.files), bare };
  const finished = await writeBackup(context, target, {
    ...{ seal: createSeal(recipients), signal },
    onLost: (fault, key) => lost.push(`${fault} ${key}`),
  });
  return { ...finished, lost };
}

/** An empty place for a platform. */
export type Place = Pick<OpenPlatform, 'dataDir' | 'settings'>;

export async function newPlace(t: TestContext): Promise<Place> {
  const dataDir = await newFolder(t, 'data');
  return { dataDir, settings: { ...readSettings({}), databaseUrl: await chooseDatabase() } };
}

type RestoreOptions = {
  readonly id?: string;
  readonly identities?: readonly string[];
  /** Changes the file store that is filled. */
  readonly changeFiles?: (files: FileStore) => FileStore;
};

/** Restores the newest backup, or the one with the id. `faults` has a line for each fault. */
export async function restoreTo(
  { dataDir, settings }: Place,
  target: FileStore,
  { id, identities, changeFiles = (files) => files }: RestoreOptions = {},
): Promise<Omit<Restoration, 'faults'> & { readonly faults: readonly string[] }> {
  const { databaseUrl } = settings;
  await using bare = await openBareDatabase({ dataDir, databaseUrl, timeoutMs: 4000 });
  using opened = await openFiles(dataDir, settings);
  await using spool = openSpool(join(dataDir, 'spool'));
  const faults: string[] = [];
  const context = { bare, files: changeFiles(opened.files), spool };
  const wanted = id ?? (await listSnapshots(target)).at(-1) ?? '';
  const restored = await restoreBackup(context, target, wanted, {
    ...{ unseal: identities === undefined ? null : createUnseal(identities), signal },
    onFault: (line) => faults.push(line),
  });
  return { ...restored, faults };
}

/** Verifies all backups. Returns a line for each fault. */
export async function verify(
  target: FileStore,
  identities?: readonly string[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const unseal = identities === undefined ? null : createUnseal(identities);
  await verifyBackups(target, await listSnapshots(target), {
    ...{ unseal, signal },
    onFault: (line) => faults.push(line),
  });
  return faults;
}

/** Opens a platform at a place that was filled by a restore. */
export function openRestored(place: Place): Promise<OpenPlatform> {
  return openPlatform(place);
}

/** Reads files of a game as players get them. */
export async function playFiles(
  { baseUrl }: Pick<OpenPlatform, 'baseUrl'>,
  slug: string,
  paths: readonly string[],
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const path of paths) {
    const answer = await fetch(`${baseUrl}/play/${slug}/${path}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    files[path] =
      `${answer.status} ${answer.headers.get('content-type')} ${bytes.toString('base64')}`;
  }
  return files;
}

/** Long enough for compressed variants. */
export const page = (name: string): string => `<p>${name}</p>`.repeat(200);

export const filesOf = (version: number) => ({
  'index.html': page(`version ${version}`),
  'shared.js': `shared(${'1'.repeat(2000)})`,
  'data.bin': Buffer.from([0, 255, version, 10, 13]),
});
export const PATHS = ['index.html', 'shared.js', 'data.bin'];

/** Reports what `svc-platform check` would. */
export async function problemsOf({ dataDir, settings }: Place): Promise<string[]> {
  await using stores = await openStores({ dataDir, settings, log: NO_LOG });
  const problems: string[] = [];
  const options = { repair: false, sizesOnly: false, graceMs: 0 };
  await checkStore(stores, options, ({ kind, key }) => problems.push(`${kind} ${key}`));
  return problems;
}

export async function keysOf(store: FileStore, folder: string): Promise<string[]> {
  return (await Array.fromAsync(store.list(folder))).map(({ key }) => key).sort();
}

/** A platform with one game of two versions, of which the second is played. */
export async function openWithGame() {
  await using opening = new AsyncDisposableStack();
  const platform = opening.use(await openPlatform());
  const { client, uid } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Kept Game' } });
  await publishBuild(client, game.id, '1', filesOf(1));
  await publishBuild(client, game.id, '2', filesOf(2));
  const open = opening.move();
  return {
    ...{ platform, client, uid, game },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
