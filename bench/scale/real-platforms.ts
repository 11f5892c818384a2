// Plays real platforms with one object store like the model, and counts the requests to the store.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@svc/platform';
import {
  type FakeS3,
  type OpenPlatform,
  openPlatform,
  publishBuild,
  startFakeS3,
} from '@svc/platform/testing';
import { until } from '../../scripts/until.ts';
import { PRODUCT_LIMITS } from './product-limits.ts';
import { createRouter, type Phase, type Simulation, simulate } from './simulate.ts';
import { createWorkload, type Workload } from './workload.ts';

const MIB = 1024 * 1024;
/** Random bytes that are the same for the same content. */
function contentOf(workload: Workload, game: number, file: number): Buffer {
  const { content, bytes } = workload.fileOf(game, file);
  return createHash('shake256', { outputLength: bytes }).update(`${content}`).digest();
}

function buildOf(workload: Workload, files: number, game: number): Record<string, Buffer> {
  const build: Record<string, Buffer> = { 'index.html': Buffer.from('x') };
  for (let file = 0; file < files; file++) {
    build[`f${file}.bin`] = contentOf(workload, game, file);
  }
  return build;
}

type Rig = AsyncDisposable & {
  readonly fake: FakeS3;
  /** Publishes the current release of a game. */
  publish(game: number): Promise<void>;
  play(process: number, game: number, file: number): Promise<void>;
  restart(): Promise<void>;
};

/** Opens one platform that publishes and those that are played, with a disk cache each. */
async function openRig(workload: Workload, simulation: Simulation): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const { limits, processes } = simulation;
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-scale-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const fake = stack.use(await startFakeS3());
  const cacheOf = (name: string): string => join(dataDir, `cache-${name}`);
  const open = (name: string): Promise<OpenPlatform> =>
    openPlatform({ dataDir, settings: settingsOf(fake, cacheOf(name), limits.disk) });
  const { client } = await stack.use(await open('publisher')).person('Ada');
  let played: readonly OpenPlatform[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(played.map((platform) => platform[Symbol.asyncDispose]()));
    played = [];
  };
  stack.defer(close);
  const restart = async (): Promise<void> => {
    await close();
    played = await Promise.all(Array.from({ length: processes }, (_, index) => open(`${index}`)));
  };
  await restart();
  const projects = new Map<number, { readonly id: string; readonly slug: string }>();
  let version = 0;
  const running = stack.move();
  return {
    fake,
    restart,
    async publish(game) {
      const known = projects.get(game);
      const project =
        known ?? (await client.call('createProject', { body: { title: `Game ${game}` } })).game;
      projects.set(game, project);
      await publishBuild(
        client,
        project.id,
        String(++version),
        buildOf(workload, simulation.workload.filesPerGame, game),
      );
    },
    async play(process, game, file) {
      const url = `${played[process]?.baseUrl}/play/${projects.get(game)?.slug}/f${file}.bin`;
      const folder = cacheOf(`${process}`);
      const sent = readsIn(fake.requests);
      const cached = new Set(await readdir(folder));
      await playFile(url, workload.fileOf(game, file).bytes);
      const blocks = readsIn(fake.requests) - sent;
      // Blocks are written to the disk after the answer. The order of their use is that of the plays only if each play waits.
      if (blocks > 0)
        await until(
          () => countNew(folder, cached),
          (count) => count >= blocks,
        );
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function settingsOf({ endpoint }: FakeS3, cacheDir: string, cacheBytes: number) {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const place = { bucket: 'bucket', prefix: '', endpoint, region: 'us-east-1' };
  const storage = { ...place, credentials, timeoutMs: 10_000, redirects: false };
  return { ...readSettings({}), storage, cacheMib: cacheBytes / MIB, cacheDir };
}

/** Requests a file. Of one that a process reads completely for each request, the first byte is enough. */
async function playFile(url: string, bytes: number): Promise<void> {
  const isWhole = bytes > PRODUCT_LIMITS.memoryEntry;
  const headers = { 'accept-encoding': 'identity', ...(!isWhole && { range: 'bytes=0-0' }) };
  const answer = await fetch(url, { headers });
  const body = await answer.arrayBuffer();
  const size = answer.headers.get('content-range')?.split('/')[1] ?? body.byteLength;
  assert.deepEqual([answer.status, Number(size)], [isWhole ? 200 : 206, bytes]);
}

/** How many of the requests to the store were for files of players. */
function readsIn(requests: readonly string[]): number {
  return requests.filter((line) => /^GET [^?]*\/[0-9a-f]{64}(\?x-id)?$/.test(line)).length;
}

/** Counts the blocks in the folder of a cache that are not among the known ones. */
async function countNew(folder: string, known: ReadonlySet<string>): Promise<number> {
  const names = await readdir(folder);
  return names.filter((name) => !known.has(name) && !name.endsWith('.new')).length;
}

/** The requests to the store in a phase, by players. */
export type Comparison = {
  readonly name: string;
  readonly measured: number;
  readonly predicted: number;
};

/** Runs a simulation and the same plays on real platforms. All processes must be observed. */
export async function compareWithReal(simulation: Simulation): Promise<readonly Comparison[]> {
  const workload = createWorkload(simulation.workload);
  await using rig = await openRig(workload, simulation);
  for (let game = 0; game < simulation.workload.games; game++) await rig.publish(game);
  const router = createRouter(simulation);
  const results = simulate(simulation);
  const comparisons: Comparison[] = [];
  for (const [index, phase] of simulation.phases.entries()) {
    await prepare(phase, workload, rig);
    rig.fake.requests.length = 0;
    for (let play = 0; play < phase.plays; play++) {
      const { game, replaced } = workload.next();
      if (replaced !== null) await rig.publish(replaced);
      for (let file = 0; file < simulation.workload.filesPerGame; file++) {
        await rig.play(router(game), game, file);
      }
    }
    const predicted = results[index]?.counts.storeReads ?? 0;
    comparisons.push({ name: phase.name, measured: readsIn(rig.fake.requests), predicted });
  }
  return comparisons;
}

async function prepare({ before }: Phase, workload: Workload, rig: Rig): Promise<void> {
  if (before === 'restart') await rig.restart();
  if (before !== 'top game replaced') return;
  workload.replace(0);
  await rig.publish(0);
}
