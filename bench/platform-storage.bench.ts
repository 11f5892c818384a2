// A bucket of an object store (Ceph on this machine, in memory) compared with a folder: publishing many small files, and
// playing them warm and cold. The same platform program serves both, in turns in one run.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import {
  cephMissing,
  environmentOf,
  makeZip,
  type PlatformProcess,
  publishBuild,
  signIn,
  startCeph,
  startProcess,
} from '@svc/platform/testing';
import { hasProgram, median, requestsPerSecond } from './platform/measure.ts';

const PUBLISH_ROUNDS = 5;
const FILES = 1200;
/** 74 MB in all. */
const FILE_BYTES = 61_500;
const TEXT_SHARE = 0.1;
const PLAY_ROUNDS = 6;
const PLAY_SECONDS = 3;
const WARM_BYTES = { '10 KB': 10_240, '1 MB': 1_000_000 };
const COLD_FILES = 100;
const COLD_BYTES = 1_000_000;

type Server = {
  readonly name: 'folder' | 'S3';
  readonly process: PlatformProcess;
  readonly client: PlatformClient;
};

async function main(): Promise<void> {
  if (!hasProgram('wrk', 'everything')) return;
  if (cephMissing() !== null) {
    console.log('skipped: everything (Debian: apt-get install ceph-mon ceph-osd radosgw)');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-storage-'));
  await using ceph = await startCeph();
  await using servers = new AsyncDisposableStack();
  servers.defer(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (name: Server['name'], environment: Record<string, string>) => {
    const limits = { SVC_LIMIT_PROJECT_BYTES: String(2 ** 40), SVC_RATE_LIMIT: 'off' };
    const server = await startServer(name, join(folder, name), { ...environment, ...limits });
    servers.defer(() => server.process.kill());
    return server;
  };
  const plain = await start('folder', {});
  const s3 = await start('S3', environmentOf(await ceph.newStorage()));
  await measurePublish(plain, s3);
  await measureWarm(plain, s3);
  await measureCold(plain, s3);
}

async function startServer(
  name: Server['name'],
  dataDir: string,
  environment: Record<string, string>,
): Promise<Server> {
  const process = await startProcess(dataDir, environment);
  const { baseUrl, issuer } = process;
  const idToken = await signIn(issuer, 'svc-dev', 'Bench');
  const client = createPlatformClient({ baseUrl, send: fetch, credential: () => idToken });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  return { name, process, client };
}

/** Publishes a build to new projects, in turns. */
async function measurePublish(...servers: readonly [Server, Server]): Promise<void> {
  const zip = makeZip(smallFiles());
  const seconds = new Map(servers.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < PUBLISH_ROUNDS; round++) {
    for (const { name, client } of servers) {
      const { game } = await client.call('createProject', { body: { title: 'Bench' } });
      const start = performance.now();
      await publishBuild(client, game.id, '1', zip);
      seconds.get(name)?.push((performance.now() - start) / 1000);
      await client.call('deleteProject', { params: { id: game.id } });
      await client.call('removeDeletedGame', { params: { id: game.id } });
    }
  }
  const [folder, s3] = [median(seconds.get('folder') ?? []), median(seconds.get('S3') ?? [])];
  console.log(
    `publish of ${FILES} files, ${Math.round((FILES * FILE_BYTES) / 1e6)} MB: folder ${folder.toFixed(2)} s, S3 ${s3.toFixed(2)} s: S3 takes ${(s3 / folder).toFixed(2)} times as long (aim: 1.5)`,
  );
}

/** Files of which a tenth is text, which is compressed again. */
function smallFiles(): Record<string, Buffer | string> {
  const files: Record<string, Buffer | string> = { 'index.html': '<!doctype html>' };
  for (let index = 0; index < FILES; index++) {
    const isText = index < FILES * TEXT_SHARE;
    if (isText) files[`text/${index}.js`] = wordy(FILE_BYTES);
    else files[`art/${index}.bin`] = randomBytes(FILE_BYTES);
  }
  return files;
}

function wordy(bytes: number): string {
  let text = '';
  while (text.length < bytes) {
    text += `const ${createHash('sha1').update(randomBytes(8)).digest('hex').slice(0, 9)} = call(value, index, other);\n`;
  }
  return text;
}

/** Requests a second for a file that is in memory. */
async function measureWarm(...servers: readonly [Server, Server]): Promise<void> {
  const bases = new Map<Server['name'], string>();
  for (const server of servers) {
    const files = Object.entries(WARM_BYTES).map(([name, bytes]) => [
      fileName(name),
      randomBytes(bytes),
    ]);
    bases.set(server.name, await publishGame(server, Object.fromEntries(files)));
  }
  for (const size of Object.keys(WARM_BYTES)) {
    const ratios: number[] = [];
    for (let round = 0; round < PLAY_ROUNDS; round++) {
      const rates = new Map<Server['name'], number>();
      // The second one in a round may have an advantage or a disadvantage.
      for (const { name } of round % 2 === 0 ? servers : servers.toReversed()) {
        rates.set(name, requestsPerSecond(`${bases.get(name)}/${fileName(size)}`, PLAY_SECONDS));
      }
      ratios.push((rates.get('S3') ?? 0) / (rates.get('folder') ?? 0));
    }
    console.log(`warm play of ${size}: S3 ${median(ratios).toFixed(2)} times as fast (aim: 0.9)`);
  }
}

/** The time of the first request for each of many files. */
async function measureCold(...servers: readonly [Server, Server]): Promise<void> {
  const times = new Map<Server['name'], number[]>();
  // Nothing was read while wrk ran: connections that the servers closed meanwhile are dropped now.
  await setTimeout(100);
  for (const server of servers) {
    const names = Array.from({ length: COLD_FILES }, (_, index) => `${index}.bin`);
    const files = names.map((name) => [name, randomBytes(COLD_BYTES)]);
    const base = await publishGame(server, Object.fromEntries(files));
    const taken: number[] = [];
    for (const name of names) {
      const start = performance.now();
      await (await fetch(`${base}/${name}`)).arrayBuffer();
      taken.push(performance.now() - start);
    }
    times.set(
      server.name,
      taken.toSorted((a, b) => a - b),
    );
  }
  const at = (name: Server['name'], share: number): string =>
    (times.get(name)?.[Math.floor(COLD_FILES * share)] ?? Number.NaN).toFixed(1);
  console.log(
    `cold read of 1 MB: folder median ${at('folder', 0.5)} ms, p95 ${at('folder', 0.95)} ms; S3 median ${at('S3', 0.5)} ms, p95 ${at('S3', 0.95)} ms (aim: p95 below 50 ms)`,
  );
}

async function publishGame(server: Server, files: Record<string, Buffer>): Promise<string> {
  const { game } = await server.client.call('createProject', { body: { title: 'Bench play' } });
  await publishBuild(server.client, game.id, '1', { 'index.html': 'x', ...files });
  return `${server.process.baseUrl}/play/${game.slug}`;
}

function fileName(size: string): string {
  return `${size.replace(' ', '-')}.bin`;
}

await main();
