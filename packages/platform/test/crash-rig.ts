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
import { openUpload, sendParts, sha256 } from './publish-parts.ts';
import { signInDeveloper } from './sign-in-developer.ts';

/**
 * When to kill: at the n-th new name, which is exact; some time after the start, or after the last file was put in its place
 * (among the last names before the commit), which comes later where the machine is busy; or once the publish has answered.
 */
type KillPoint =
  | { readonly at: 'name'; readonly number: number }
  | { readonly at: 'time'; readonly afterMs: number }
  | { readonly at: 'last file'; readonly afterMs: number }
  | { readonly at: 'answer' };

/** The phase of a kill: before all files were stored, between that and the answer, or after the answer. */
type Fell = 'before' | 'inside' | 'after' | 'not at all';

type Crash = {
  readonly fell: Fell;
  /** Whether players get the new release. */
  readonly isNew: boolean;
  /** Time from the start to the kill or the answer, whichever is first. */
  readonly ms: number;
  /** The part of that time after the last file was stored. */
  readonly commitMs: number;
  /** Number of parts that had been acknowledged, of an upload that went on after the restart. */
  readonly continued: number;
};

/** How a version is published: as one ZIP, or in parts. */
type Way = 'zip' | 'parts';

export type CrashRig = AsyncDisposable & {
  /** Publishes the next version and kills at the point; then restarts and checks everything. */
  crash(point: KillPoint): Promise<Crash>;
};

const FILE_COUNT = 20;
/** A version has at least this many parts. */
export const PARTS = 5;
const PART_BYTES = 8_192;
/** The last file of a version that differs from the one before. */
const LAST_FILE = `f${FILE_COUNT - 1}.js`;
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
export async function openCrashRig(way: Way = 'zip'): Promise<CrashRig> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  const dataDir = join(folder, 'data');
  const order = join(folder, 'die-at-name');
  const start = (): Promise<PlatformProcess> =>
    startProcess(dataDir, {
      SVC_RATE_LIMIT: 'off',
      NODE_OPTIONS: `--import=${pathToFileURL(DIE_AT_NAME).href}`,
      DIE_AT_NAME: order,
      SVC_LIMIT_UPLOAD_PART_BYTES: String(PART_BYTES),
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
      const sent: Sent = { upload: null, parts: new Set() };
      const outcome = await publishAndKill(server, clientOf(server), {
        project: join(dataDir, 'projects', id),
        ...{ order, id, version, point, way, sent },
      });
      endLeases(dataDir);
      server = await start();
      const isNew = await checkLive(server, slug, live, version);
      if (isNew) live = version;
      await checkFiles(dataDir, id, isNew ? null : sent);
      await checkVersionUse(clientOf(server), id, version, isNew);
      if (outcome.answered) assert.ok(isNew, 'an answered publish is there after the crash');
      let continued = 0;
      if (way === 'parts' && !isNew) {
        continued = sent.parts.size;
        if (await finishUpload(clientOf(server), id, version, sent)) live = version;
        assert.equal(await checkLive(server, slug, live, version), live === version);
        if (live === version) {
          // The parts are removed by the upkeep, which runs at the start.
          await server.kill();
          server = await start();
        }
        await checkFiles(dataDir, id, null);
      }
      await makeRoom(server, clientOf(server), id, live);
      const { ms, commitMs, killed } = outcome;
      const fell = outcome.answered ? 'after' : outcome.hadLast ? 'inside' : 'before';
      return { fell: killed ? fell : 'not at all', isNew, ms, commitMs, continued };
    },
    async [Symbol.asyncDispose]() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function prepare(server: PlatformProcess) {
  const { client } = await signInDeveloper(server, 'Crash');
  const { secret } = await client.call('createToken', { body: { name: 'crash' } });
  const { game } = await client.call('createProject', { body: { title: 'Crash' } });
  const form = publishForm('v1', makeZip(filesOf(1)));
  await client.call('publish', { params: { id: game.id }, form });
  return { secret, id: game.id, slug: game.slug };
}

/** What a publish in parts has sent: the upload, and its parts that were acknowledged. */
type Sent = { upload: string | null; readonly parts: Set<number> };

type Attempt = {
  readonly project: string;
  readonly order: string;
  readonly id: string;
  readonly version: number;
  readonly point: KillPoint;
  readonly way: Way;
  readonly sent: Sent;
};

async function publishAndKill(
  server: PlatformProcess,
  client: PlatformClient,
  { project, order, id, version, point, way, sent }: Attempt,
) {
  const before = countBuilds(project);
  const lastContent = `*/${sha256(filesOf(version)[LAST_FILE] ?? '')}`;
  const hasLast = (): boolean =>
    way === 'zip'
      ? countBuilds(project) > before
      : globSync(lastContent, { cwd: project }).length > 0;
  if (point.at === 'name') writeFileSync(order, String(point.number));
  const start = performance.now();
  let lastAt: number | null = null;
  let answerAt: number | null = null;
  let settled = false;
  const publish = publishVersion(client, id, version, { way, sent })
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
    if (point.at === 'last file') {
      return lastAt !== null && performance.now() - lastAt >= point.afterMs;
    }
    return settled;
  };
  while (!isDue() && performance.now() - start < POINT_MS) {
    if (lastAt === null && hasLast()) lastAt = performance.now();
    await setImmediate();
  }
  // If the publish creates fewer names, it has answered and was not killed.
  const killed = point.at !== 'name' || answerAt === null;
  const end = answerAt ?? performance.now();
  await server.kill();
  await publish;
  rmSync(order, { force: true });
  const times = { ms: end - start, commitMs: lastAt === null ? 0 : end - lastAt };
  return { answered: answerAt !== null, hadLast: hasLast(), killed, ...times };
}

async function publishVersion(
  client: PlatformClient,
  id: string,
  version: number,
  { way, sent }: Pick<Attempt, 'way' | 'sent'>,
): Promise<void> {
  const files = filesOf(version);
  if (way === 'zip') {
    const form = publishForm(`v${version}`, makeZip(files));
    await client.call('publish', { params: { id }, form });
    return;
  }
  const upload = await openUpload(client, id, files, `v${version}`);
  sent.upload = upload.id;
  await sendParts(client, id, upload, files, (part) => sent.parts.add(part));
  const params = { id, upload: upload.id };
  await client.call('publishUpload', { params, body: { version: `v${version}` } });
}

/**
 * Opens the upload of a version again: it is the same, with all parts that were acknowledged. Sends the others and publishes it,
 * or gives up every third. Returns whether the version is published.
 */
async function finishUpload(
  client: PlatformClient,
  id: string,
  version: number,
  sent: Sent,
): Promise<boolean> {
  const files = filesOf(version);
  const upload = await openUpload(client, id, files, `v${version}`);
  if (sent.upload !== null) assert.equal(upload.id, sent.upload, 'the upload goes on');
  const received = new Set(upload.received);
  for (const part of sent.parts) assert.ok(received.has(part), `part ${part} was acknowledged`);
  const params = { id, upload: upload.id };
  if (version % 3 === 0) {
    await client.open('dropUpload', { params });
    return false;
  }
  await sendParts(client, id, upload, files, (part) => assert.ok(!sent.parts.has(part)));
  await client.call('publishUpload', { params, body: { version: `v${version}` } });
  return true;
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

/**
 * Checks that the files on disk are exactly those that rows refer to. With an upload, its parts may be there, and those that were
 * acknowledged are.
 */
async function checkFiles(dataDir: string, id: string, sent: Sent | null): Promise<void> {
  const db = new DatabaseSync(join(dataDir, 'platform.sqlite'), { readOnly: true });
  const expected = new Set<string>();
  for (const row of db.prepare('select content from manifests').all()) {
    for (const content of await decodeManifest(row['content'] as Uint8Array)) {
      for (const [key] of filesOfContent(id, content)) expected.add(key);
    }
  }
  const releases = db
    .prepare('select id, place from releases where deleted_at is null and zip_stored = 1')
    .all();
  for (const row of releases) expected.add(`${id}/${row['place']}/build.zip`);
  const open = db.prepare(
    "select count(*) as n from attempts where state in ('open', 'abandoned')",
  );
  assert.equal(open.get()?.['n'], 0);
  const uploads = db.prepare('select id from uploads').all();
  db.close();
  const folders = uploads.map((row) => `${id}/${row['id']}/part-`);
  assert.ok(folders.length <= (sent === null ? 0 : 1), 'no other upload is open');
  if (sent !== null && sent.upload !== null) {
    assert.deepEqual(folders, [`${id}/${sent.upload}/part-`]);
  }
  const stored = storedFiles(dataDir, id);
  const isPart = (key: string): boolean => folders.some((folder) => key.startsWith(folder));
  assert.deepEqual(
    stored.filter((key) => !isPart(key)),
    [...expected].sort(),
  );
  for (const part of sent?.parts ?? []) {
    assert.ok(stored.includes(`${id}/${sent?.upload}/part-${part}`), `part ${part} is stored`);
  }
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
  const { client: owner } = await signInDeveloper(server, 'Crash');
  for (const { version } of releases) {
    if (version !== `v${live}`) await owner.call('deleteRelease', { params: { id, version } });
  }
}
