// Kills a platform during publishes and checks the promises about what remains.
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import { decodeManifest } from '../src/database/manifest.ts';
import { filesOfContent } from '../src/storage/contents.ts';
import { type Files, makeZip } from './make-zip.ts';
import { type PlatformProcess, startProcess } from './platform-process.ts';
import { publishForm } from './publish-build.ts';
import { signIn } from './sign-in.ts';

/**
 * When to kill: at the n-th new name, which is exact; some time after the start, or after the ZIP was put in its place
 * (among the last names before the commit), which comes later where the machine is busy; or once the publish has answered.
 */
type KillPoint =
  | { readonly at: 'name'; readonly number: number }
  | { readonly at: 'time'; readonly afterMs: number }
  | { readonly at: 'zip'; readonly afterMs: number }
  | { readonly at: 'answer' };

/** The phase of a kill: before all files were stored, between that and the answer, or after the answer. */
type Fell = 'before' | 'inside' | 'after' | 'not at all';

type Crash = {
  readonly fell: Fell;
  /** Whether players get the new release. */
  readonly isNew: boolean;
  /** Time from the start to the kill or the answer, whichever is first. */
  readonly ms: number;
  /** The part of that time after the ZIP was stored. */
  readonly commitMs: number;
};

export type CrashRig = AsyncDisposable & {
  /** Publishes the next version and kills at the point; then restarts and checks everything. */
  crash(point: KillPoint): Promise<Crash>;
};

const FILE_COUNT = 20;
/** No step of a publish is later than this. */
const POINT_MS = 120_000;
const DIE_AT_NAME = join(import.meta.dirname, 'die-at-name.mjs');

function filesOf(version: number): Files {
  const files: Record<string, string> = { 'index.html': `<title>version ${version}</title>` };
  for (let index = 1; index < FILE_COUNT; index++) {
    const stays = index % 4 === 0;
    files[`f${index}.js`] = `${stays ? 'same' : version} ${index} `.repeat(400);
  }
  return files;
}

/** Starts a platform with one published version. */
export async function openCrashRig(): Promise<CrashRig> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  const dataDir = join(folder, 'data');
  const order = join(folder, 'die-at-name');
  const start = (): Promise<PlatformProcess> =>
    startProcess(dataDir, {
      SVC_RATE_LIMIT: 'off',
      NODE_OPTIONS: `--import=${pathToFileURL(DIE_AT_NAME).href}`,
      DIE_AT_NAME: order,
    });
  let server = await start();
  const { secret, id, slug } = await prepare(server);
  const clientOf = (running: PlatformProcess): PlatformClient =>
    createPlatformClient({ baseUrl: running.baseUrl, send: fetch, credential: () => secret });
  let live = 1;
  let next = 2;
  return {
    async crash(point) {
      const version = next++;
      const outcome = await publishAndKill(server, clientOf(server), {
        project: join(dataDir, 'projects', id),
        order,
        id,
        version,
        point,
      });
      endLeases(dataDir);
      server = await start();
      const isNew = await checkLive(server, slug, live, version);
      if (isNew) live = version;
      await checkFiles(dataDir, id);
      await checkVersionUse(clientOf(server), id, version, isNew);
      await makeRoom(server, clientOf(server), id, live);
      if (outcome.answered) assert.ok(isNew, 'an answered publish is there after the crash');
      const { ms, commitMs, killed } = outcome;
      const fell = outcome.answered ? 'after' : outcome.hadZip ? 'inside' : 'before';
      return { fell: killed ? fell : 'not at all', isNew, ms, commitMs };
    },
    async [Symbol.asyncDispose]() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function prepare(server: PlatformProcess) {
  const idToken = await signIn(server.issuer, 'svc-dev', 'Crash');
  const client = createPlatformClient({
    baseUrl: server.baseUrl,
    send: fetch,
    credential: () => idToken,
  });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  const { secret } = await client.call('createToken', { body: { name: 'crash' } });
  const { game } = await client.call('createProject', { body: { title: 'Crash' } });
  const form = publishForm('v1', makeZip(filesOf(1)));
  await client.call('publish', { params: { id: game.id }, form });
  return { secret, id: game.id, slug: game.slug };
}

type Attempt = { project: string; order: string; id: string; version: number; point: KillPoint };

async function publishAndKill(
  server: PlatformProcess,
  client: PlatformClient,
  { project, order, id, version, point }: Attempt,
) {
  const before = countBuilds(project);
  const hasZip = (): boolean => countBuilds(project) > before;
  if (point.at === 'name') writeFileSync(order, String(point.number));
  const start = performance.now();
  let zipAt: number | null = null;
  let answerAt: number | null = null;
  let settled = false;
  const form = publishForm(`v${version}`, makeZip(filesOf(version)));
  const publish = client
    .call('publish', { params: { id }, form })
    .then(
      () => {
        answerAt = performance.now();
      },
      () => {},
    )
    .then(() => {
      settled = true;
    });
  const isDue = (): boolean => {
    if (point.at === 'time') return performance.now() - start >= point.afterMs;
    if (point.at === 'zip') return zipAt !== null && performance.now() - zipAt >= point.afterMs;
    return settled;
  };
  while (!isDue() && performance.now() - start < POINT_MS) {
    if (zipAt === null && hasZip()) zipAt = performance.now();
    await setImmediate();
  }
  // If the publish creates fewer names, it has answered and was not killed.
  const killed = point.at !== 'name' || answerAt === null;
  const end = answerAt ?? performance.now();
  await server.kill();
  await publish;
  rmSync(order, { force: true });
  const times = { ms: end - start, commitMs: zipAt === null ? 0 : end - zipAt };
  return { answered: answerAt !== null, hadZip: hasZip(), killed, ...times };
}

/** Checks that players get one complete release. Returns true for the new one. */
async function checkLive(
  server: PlatformProcess,
  slug: string,
  old: number,
  fresh: number,
): Promise<boolean> {
  const get = async (path: string) =>
    (await fetch(`${server.baseUrl}/play/${slug}/${path}`)).text();
  const index = await get('index.html');
  const isNew = index === filesOf(fresh)['index.html'];
  const expected = filesOf(isNew ? fresh : old);
  for (const [path, text] of Object.entries(expected)) assert.equal(await get(path), text, path);
  return isNew;
}

/** Makes the heartbeats of killed attempts old, so that the next start need not wait until they are. */
function endLeases(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'platform.sqlite'));
  db.exec("update attempts set beat_at = 0 where state = 'open'");
  db.close();
}

/** The stored files of a project as keys of the file store. */
function storedFiles(dataDir: string, id: string): string[] {
  const root = join(dataDir, 'projects');
  return readdirSync(join(root, id), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function countBuilds(project: string): number {
  return globSync('*/build.zip', { cwd: project }).length;
}

/** Checks that the files on disk are exactly those that rows refer to. */
async function checkFiles(dataDir: string, id: string): Promise<void> {
  const db = new DatabaseSync(join(dataDir, 'platform.sqlite'), { readOnly: true });
  const expected = new Set<string>();
  for (const row of db.prepare('select content from manifests').all()) {
    for (const content of await decodeManifest(row['content'] as Uint8Array)) {
      for (const [key] of filesOfContent(id, content)) expected.add(key);
    }
  }
  const releases = db.prepare('select id, place from releases where deleted_at is null').all();
  for (const row of releases) expected.add(`${id}/${row['place']}/build.zip`);
  const open = db.prepare(
    "select count(*) as n from attempts where state in ('open', 'abandoned')",
  );
  assert.equal(open.get()?.['n'], 0);
  db.close();
  assert.deepEqual(storedFiles(dataDir, id), [...expected].sort());
  const spools = readdirSync(join(dataDir, 'spool'));
  assert.equal(spools.length, 1, 'only the running server has a spool');
  assert.deepEqual(readdirSync(join(dataDir, 'spool', spools[0] ?? '')), ['lock']);
}

/** Checks that a published version is used, and an unpublished one is free. */
async function checkVersionUse(
  client: PlatformClient,
  id: string,
  version: number,
  isUsed: boolean,
): Promise<void> {
  const dryRun = client.open('publish', {
    params: { id },
    query: { dry_run: 'true' },
    form: publishForm(`v${version}`, makeZip(filesOf(version))),
  });
  if (isUsed) await assert.rejects(dryRun, { code: 'version_exists' });
  else assert.equal((await dryRun).status, 200);
}

/** Deletes old releases, so that many crashes do not run into the quota. */
async function makeRoom(
  server: PlatformProcess,
  client: PlatformClient,
  id: string,
  live: number,
): Promise<void> {
  const { releases } = await client.call('releases', { params: { id }, query: { limit: '100' } });
  if (releases.length < 10) return;
  const idToken = await signIn(server.issuer, 'svc-dev', 'Crash');
  const owner = createPlatformClient({
    baseUrl: server.baseUrl,
    send: fetch,
    credential: () => idToken,
  });
  for (const { version } of releases) {
    if (version !== `v${live}`) await owner.call('deleteRelease', { params: { id, version } });
  }
}
