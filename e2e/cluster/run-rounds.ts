// Rounds of load on a cluster with one fault each. At the end of each round, all promises about what remains are checked.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBuild } from '@svc/game-build';
import { until } from '../../scripts/until.ts';
import type { Fault } from './faults.ts';
import { type Game, liveRelease, liveReleases, newGame, type Release, STALE_MS } from './game.ts';
import { getFile } from './get.ts';
import { type Cluster, HOSTS } from './open-cluster.ts';
import { browseOnce, playOnce } from './players.ts';
import {
  changeNext,
  clientOf,
  coverText,
  KEPT,
  newPublisher,
  type Publisher,
  publishNext,
  updatePage,
} from './publisher.ts';
import { createRandom, type Random } from './random.ts';
import { signInOnce } from './sign-in.ts';

const GAMES = 3;
const SETTLE_MS = 30_000;
const PAGE_PAUSE_MS = 300;
const UPKEEP_PAUSE_MS = 100;
const BOTH = [0, 1] as const;

export type Rounds = {
  /** Does one round. Throws an error with the fault if a promise is broken. */
  run(fault: Fault): Promise<void>;
  /** The number of releases that were published. */
  readonly published: number;
};

/** Creates a developer and games with a release each. */
export async function openRounds(cluster: Cluster, seed: string): Promise<Rounds> {
  const order = createRandom(`${seed} rounds`);
  const secret = await signUp(cluster);
  const publisher = newPublisher(cluster, secret, createRandom(`${seed} load`));
  const client = clientOf(cluster, secret);
  const games: Game[] = [];
  for (let index = 0; index < GAMES; index++) {
    const slug = `game-${index}`;
    const { game } = await client.call('createProject', { body: { title: slug, slug } });
    const created = newGame(game.id, slug);
    await publishNext(publisher, created);
    await updatePage(publisher, created);
    games.push(created);
  }
  const rig = { ...publisher, cluster, games, order };
  return {
    get published() {
      return games.reduce((sum, { releases }) => sum + releases.length, 0);
    },
    async run(fault) {
      const before = games.map(({ releases }) => releases.length);
      const load = startLoad(rig);
      await sleep(order.next() * 600);
      try {
        await fault.begin();
        await sleep(fault.leastMs + order.next() * 1_000);
      } finally {
        await fault.end();
      }
      await sleep(order.next() * 600);
      const faults = await load.stop();
      assert.deepEqual(faults, []);
      // Each process may play the state before the last publish for as long.
      await sleep(STALE_MS);
      await checkGames(rig, before);
      await removeOld(rig);
      await untilTidy(cluster);
    },
  };
}

/** The randomness of the publisher is for the load, whose order is not the same in each run. */
type Rig = Publisher & {
  readonly cluster: Cluster;
  readonly games: readonly Game[];
  /** For what this file does one after another. */
  readonly order: Random;
};

/** Signs in as a developer and returns a token. */
async function signUp(cluster: Cluster): Promise<string> {
  const client = await ownerClient(cluster);
  const { secret } = await client.call('createToken', { body: { name: 'cluster' } });
  return secret;
}

/** A client with a session, which may delete. */
async function ownerClient(cluster: Cluster, api?: 0 | 1) {
  // A server whose clock is behind rejects a token of the future.
  const iat = Math.floor(Date.now() / 1_000) - 120;
  const idToken = await cluster.provider.sign({ sub: 'ada', name: 'Ada', iat });
  const client = clientOf(cluster, idToken, { api });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  return client;
}

/**
 * Starts a publisher and a player for each game, visitors, of which one signs in, a developer at each process who deletes
 * projects, and the upkeep, which removes what stopped publishes have stored. `stop` waits for all and returns what went wrong.
 */
function startLoad(rig: Rig): { stop(): Promise<string[]> } {
  const { cluster, games, random } = rig;
  let isStopping = false;
  const faults: string[] = [];
  const repeat = async (work: () => Promise<void>): Promise<void> => {
    while (!isStopping && faults.length === 0) {
      await work().catch((error: unknown) => void faults.push(String(error)));
    }
  };
  const pause = (): Promise<void> => sleep(UPKEEP_PAUSE_MS);
  const loops = games.flatMap((game) => [
    repeat(() => changeNext(rig, game)),
    repeat(() => playOnce(cluster, game, random)),
    repeat(() => updatePage(rig, game).then(() => sleep(PAGE_PAUSE_MS))),
  ]);
  loops.push(repeat(() => browseOnce(cluster.send, random.pick(games))));
  loops.push(repeat(() => signInOnce(cluster)));
  // A fault may reject it. The checks at the end of the round see what it left.
  for (const api of BOTH) {
    loops.push(repeat(() => deleteProject(cluster, api).catch(() => sleep(100))));
  }
  loops.push(repeat(() => cluster.runUpkeep().then(pause, pause)));
  return {
    async stop() {
      isStopping = true;
      await Promise.all(loops);
      const ends = await Promise.allSettled(rig.left);
      rig.left.clear();
      for (const { reason } of ends.filter((end) => end.status === 'rejected')) {
        faults.push(String(reason));
      }
      // A publish that was left may have taken effect after the next one.
      for (const game of games) {
        if (liveReleases(game).length > 1) await publishNext(rig, game, true);
      }
      return faults;
    },
  };
}

/** Checks each game at both processes: its releases, its live release, its page, and the ZIPs of this round's releases. */
async function checkGames(rig: Rig, before: readonly number[]): Promise<void> {
  const { cluster, secret, games, order } = rig;
  for (const [index, game] of games.entries()) {
    const count = before[index] ?? 0;
    const older = game.releases.slice(-KEPT, count);
    const looked = game.releases.slice(count);
    if (older.length > 0) looked.push(order.pick(older));
    const first = Math.max(0, Math.min(count, game.releases.length - KEPT));
    for (const api of BOTH) {
      await expectLive(cluster, game, api);
      await expectPage(cluster, game, api);
      const listed = await expectReleases(rig, game, first, api);
      for (const release of looked) {
        if (!listed.includes(release.version)) continue;
        const path = `/projects/${game.id}/releases/${release.version}/build`;
        const headers = { authorization: `Bearer ${secret}` };
        const got = await getFile(cluster.send, HOSTS.api, path, { headers });
        await expectZip(release, got.bytes, `${game.slug} ${release.version}: its ZIP`);
      }
    }
  }
}

/** Checks the downloaded ZIP: the bytes that were sent, or a ZIP with the same files. */
async function expectZip(release: Release, bytes: Buffer, name: string): Promise<void> {
  if (!release.inParts) return assert.ok(bytes.equals(release.zip), name);
  const folder = await mkdtemp(join(tmpdir(), 'svc-cluster-zip-'));
  try {
    const path = join(folder, 'build.zip');
    await writeFile(path, bytes);
    const verdict = await checkBuild(path);
    assert.ok(verdict.accepted, name);
    const found = verdict.build.files.map((file) => [file.path, file.sha256]).sort();
    const expected = [...release.files].map(([file, data]) => [file, sha256(data)]).sort();
    assert.deepEqual(found, expected, name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Checks that a process lists all releases since the given one, in order. Returns the versions of all that it lists. */
async function expectReleases(
  { cluster, secret }: Rig,
  game: Game,
  first: number,
  api: 0 | 1,
): Promise<string[]> {
  const client = clientOf(cluster, secret, { api });
  const query = { limit: '100' };
  const { releases } = await client.call('releases', { params: { id: game.id }, query });
  const listed = releases.map(({ version }) => version);
  assert.deepEqual(findDisorder(game, listed), [], `${game.slug}: the order of ${listed}`);
  for (const { version, isPublished } of game.releases.slice(first)) {
    assert.ok(!isPublished || listed.includes(version), `${game.slug}: ${version} is not listed`);
  }
  const live = releases.filter((release) => release.live).map(({ version }) => version);
  assert.deepEqual(live, [liveRelease(game).version], `${game.slug}: the live release`);
  return listed;
}

/** Returns listed versions that are unknown, or listed after one whose publish had ended before theirs began. */
function findDisorder(game: Game, listed: readonly string[]): string[] {
  const publishes = game.changes.filter(({ kind }) => kind === 'publish');
  const times = new Map(publishes.map((change) => [change.release.version, change]));
  return listed.filter((version, index) => {
    const publish = times.get(version);
    if (publish === undefined) return true;
    const newer = listed.slice(0, index).map((other) => times.get(other)?.endedAt ?? null);
    return newer.some((endedAt) => endedAt !== null && endedAt < publish.begunAt);
  });
}

/** Checks that a process shows the page of the last update, with all forms of its cover. */
async function expectPage(cluster: Cluster, game: Game, api: 0 | 1): Promise<void> {
  const client = clientOf(cluster, '', { api });
  const { page } = await client.call('gamePage', { params: { slug: game.slug } });
  assert.equal(page.cover?.alt, coverText(game.pageNumber), `${game.slug}: the cover's text`);
  for (const { url } of [page.cover, ...page.cover.variants]) {
    const { pathname, search } = new URL(url);
    const got = await getFile(cluster.send, HOSTS.api, `${pathname}${search}`);
    assert.ok(got.bytes.length > 0, url);
  }
}

/** Checks that a process plays all files of the live release. */
async function expectLive(cluster: Cluster, game: Game, api: 0 | 1): Promise<void> {
  const send: Cluster['send'] = (host, path, init) => cluster.send(host, path, init, api);
  const { version, files } = liveRelease(game);
  for (const [path, bytes] of files) {
    const got = await getFile(send, HOSTS.game(game.slug), `/${path}`);
    assert.ok(got.bytes.equals(bytes), `${game.slug} ${version} at platform ${api}: ${path}`);
  }
}

/** Deletes old releases. */
async function removeOld({ cluster, games }: Rig): Promise<void> {
  const client = await ownerClient(cluster);
  for (const game of games) {
    const { id, releases } = game;
    const { releases: listed } = await client.call('releases', {
      params: { id },
      query: { limit: '100' },
    });
    const kept = [...releases.slice(-KEPT), liveRelease(game)].map(({ version }) => version);
    for (const { version } of listed) {
      if (kept.includes(version)) continue;
      await client.open('deleteRelease', { params: { id, version } });
    }
  }
}

/** Creates a project, deletes it and removes it at one process. */
async function deleteProject(cluster: Cluster, api: 0 | 1): Promise<void> {
  const client = await ownerClient(cluster, api);
  const { game } = await client.call('createProject', { body: { title: 'Gone' } });
  await client.call('deleteProject', { params: { id: game.id } });
  await client.call('removeDeletedGame', { params: { id: game.id } });
}

/** Waits until the store has exactly the files that the rows need. */
async function untilTidy(cluster: Cluster): Promise<void> {
  await until(
    async () => {
      await cluster.runUpkeep();
      return cluster.check();
    },
    ({ code }) => code === 0,
    'the stored files are those of the rows',
    SETTLE_MS,
  );
}
