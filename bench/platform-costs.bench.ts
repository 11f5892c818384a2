// What a release, a publish and a play cost: bytes and memory of manifests, requests to the object store, database queries,
// bytes of rows. These are counts and sizes, which do not depend on the speed of the machine.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PlatformClient } from '@svc/contracts/platform';
import { readSettings, type Settings } from '@svc/platform';
import {
  type FakeS3,
  newDatabase,
  openPlatform,
  postgresMissing,
  publishBuild,
  queryDatabase,
  startFakeS3,
  startPostgres,
} from '@svc/platform/testing';
import { measureManifests } from './platform/measure-manifests.ts';

const MIB = 1024 * 1024;
const NEW_FILES = [20, 200, 1000];
const PLAYED = [100_000, MIB, 2 * MIB + 1, 5 * MIB];
const WAIT_MS = 300;

async function main(): Promise<void> {
  await measureManifests([20, 200, 2000, 10_000]);
  const missing = postgresMissing();
  if (missing !== null) return console.log(`skipped: the rest: ${missing}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-costs-'));
  using postgres = startPostgres();
  await using fake = await startFakeS3();
  const databaseUrl = await newDatabase(postgres.url);
  const log = join(dirname(postgres.socket), 'log');
  await queryDatabase(
    databaseUrl,
    `alter database "${nameOf(databaseUrl)}" set log_statement = 'all'`,
  );
  try {
    await measurePlatform({ dataDir, settings: settingsOf(fake, databaseUrl) }, fake, log);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function settingsOf({ endpoint }: FakeS3, databaseUrl: string): Settings {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const place = { bucket: 'bucket', prefix: '', endpoint, region: 'us-east-1' };
  const storage = { ...place, credentials, timeoutMs: 60_000, redirects: false };
  return { ...readSettings({}), databaseUrl, storage };
}

type Options = { readonly dataDir: string; readonly settings: Settings };

async function measurePlatform(options: Options, fake: FakeS3, log: string): Promise<void> {
  await using platform = await openPlatform(options);
  const { client } = await platform.person('Ada');
  const meter = createMeter(fake, log);
  for (const files of NEW_FILES) await measurePublish(client, meter, files);
  await measurePlay(client, platform.baseUrl, meter);
  const { databaseUrl } = options.settings;
  if (databaseUrl !== null) await measureRows(databaseUrl);
}

/** Counts the requests to the store and the statements of the database since the last call. */
type Meter = () => Promise<string>;

function createMeter(fake: FakeS3, log: string): Meter {
  let seen = 0;
  return async () => {
    // The log of the database is written a little later.
    await setTimeout(WAIT_MS);
    const lines = readFileSync(log, 'utf8').split('\n').filter(isQuery);
    const queries = lines.length - seen;
    seen = lines.length;
    const requests = Object.groupBy(fake.requests.splice(0), kindOf);
    const counts = Object.entries(requests).map(([kind, group = []]) => `${group.length} ${kind}`);
    return `${queries} statements, ${counts.join(', ') || 'no requests to the store'}`;
  };
}

/** Statements without the beats of the listener and without the marks of transactions. */
function isQuery(line: string): boolean {
  return (
    /LOG: {2}(?:execute|statement)/.test(line) &&
    !/svc_beat|listen |: (?:begin|commit|rollback)\b/i.test(line)
  );
}

/** A list is counted once, because the fake store has pages of two objects, and real ones of 1,000. */
function kindOf(request: string): string {
  const [method = '', rest = ''] = request.split(' ');
  if (!rest.includes('list-type')) return method;
  return rest.includes('continuation-token') ? 'further pages (of two objects)' : 'LIST';
}

async function measurePublish(client: PlatformClient, meter: Meter, count: number): Promise<void> {
  const { game } = await client.call('createProject', { body: { title: `Costs ${count}` } });
  const build: Record<string, Buffer | string> = { 'index.html': 'x' };
  for (let file = 1; file < count; file++) build[`art/picture-${file}.bin`] = randomBytes(2000);
  await meter();
  await publishBuild(client, game.id, '1', build);
  console.log(`publish of ${count} new files: ${await meter()}`);
  await publishBuild(client, game.id, '2', { ...build, 'one.bin': randomBytes(2000) });
  console.log(`publish of ${count} known files and a new one: ${await meter()}`);
  await publishBuild(client, game.id, '3', { ...build, 'page.js': 'call(value);\n'.repeat(500) });
  console.log(`publish of ${count} known files and a new script: ${await meter()}`);
  await client.call('deleteRelease', { params: { id: game.id, version: '1' } });
  console.log(`deletion of a release: ${await meter()}`);
}

async function measurePlay(client: PlatformClient, baseUrl: string, meter: Meter): Promise<void> {
  const { game } = await client.call('createProject', { body: { title: 'Costs of play' } });
  const build: Record<string, Buffer | string> = { 'index.html': 'x' };
  for (const bytes of PLAYED) build[`f${bytes}.bin`] = randomBytes(bytes);
  await publishBuild(client, game.id, '1', build);
  await meter();
  const get = async (path: string): Promise<void> => {
    await (await fetch(`${baseUrl}/play/${game.slug}/${path}`)).arrayBuffer();
  };
  await get('');
  console.log(`first request for a game: ${await meter()}`);
  for (const bytes of PLAYED) {
    await get(`f${bytes}.bin`);
    console.log(`cold request for a file of ${bytes} bytes: ${await meter()}`);
    await get(`f${bytes}.bin`);
    console.log(`warm: ${await meter()}`);
  }
}

/** Prints the size of each table with its indexes. */
async function measureRows(databaseUrl: string): Promise<void> {
  const rows = await queryDatabase(
    databaseUrl,
    `select relname as name, pg_total_relation_size(oid) as bytes,
      (xpath('/row/c/text()', query_to_xml(format('select count(*) c from %I', relname), false, true, '')))[1]::text as rows,
      (xpath('/row/c/text()', query_to_xml(format('select sum(pg_column_size(t.*)) c from %I t', relname), false, true, '')))[1]::text as row_bytes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname in ('games', 'releases', 'manifests', 'attempts', 'kept_manifests', 'search_terms', 'slugs') order by 1`,
  );
  for (const row of rows) {
    console.log(
      `table ${row['name']}: ${row['rows']} rows, ${row['row_bytes'] ?? 0} bytes of rows, ${row['bytes']} with indexes`,
    );
  }
}

function nameOf(databaseUrl: string): string {
  return new URL(databaseUrl).pathname.slice(1);
}

await main();
