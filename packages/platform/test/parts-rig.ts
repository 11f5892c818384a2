// Two projects side by side: one is published in parts, with cuts and restarts, the other with a ZIP of the same files. After each
// step, both must be in the same state.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  PLATFORM_LIMITS,
  type PlatformClient,
  PlatformError,
  type PublishAnswer,
  type Release,
  type Upload,
} from '@svc/contracts/platform';
import { comparePaths } from '@svc/game-build';
import { openDatabase } from '../src/database/open-database.ts';
import type { Files } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import {
  contentsOf,
  digestOf,
  openUpload,
  partOf,
  publishParts,
  sendPart,
} from './publish-parts.ts';
import { storedKeys } from './read-state.ts';
import { removeProject } from './remove-project.ts';
import { runUpkeep } from './run-upkeep.ts';

const PART_BYTES = 4_096;
const FILE_BYTES = 25_000;

/** Around the size of a part, and of every kind. The last one is too large for a file. */
const CONTENTS = {
  empty: '',
  letter: 'x',
  page: '<!doctype html><script src="main.js"></script>',
  script: 'fetch("data.json"); import("./gone.js");\n'.repeat(300),
  json: '{"a": 1}',
  'part - 1': noise(PART_BYTES - 1),
  part: noise(PART_BYTES),
  'part + 1': noise(PART_BYTES + 1),
  parts: noise(9_000),
  large: noise(FILE_BYTES),
  'too large': noise(FILE_BYTES + 1),
} as const satisfies Files;

export type ContentName = keyof typeof CONTENTS;
export const CONTENT_NAMES = Object.keys(CONTENTS) as ContentName[];

/** A build, with the names of its contents. */
export type NamedFiles = Readonly<Record<string, ContentName>>;

/** How the parts of an upload travel. */
export type Travel = {
  /** Orders the parts. */
  readonly seed: number;
  /** Before these parts, the connection is cut after a share of the part's bytes, and the upload is opened again. */
  readonly cuts: readonly { readonly part: number; readonly share: number }[];
  /** Before this part, the server is restarted. */
  readonly restart: number | null;
  /** Whether each part is sent a second time. */
  readonly twice: boolean;
  /** A part that is first sent with other content. */
  readonly damaged: number | null;
};

/** One change of a project. */
export type Step =
  | { readonly do: 'publish'; readonly files: NamedFiles; readonly travel: Travel }
  /** Two publishers at once, with two versions or the same. */
  | {
      readonly do: 'race';
      readonly files: readonly [NamedFiles, NamedFiles];
      readonly isSameVersion: boolean;
    }
  /** An upload that is begun and not continued. */
  | { readonly do: 'abandon'; readonly files: NamedFiles; readonly parts: number }
  /** All open uploads expire. */
  | { readonly do: 'expire' }
  /** The oldest release that is not live is deleted. */
  | { readonly do: 'delete' };

export type PartsRig = AsyncDisposable & {
  /** Does the step in both projects, and compares them. */
  run(step: Step): Promise<void>;
  /** Ends all uploads, and checks that nothing of them is left. */
  finish(): Promise<void>;
};

/** The outcome of a publish: what the answer says, or the code and the findings of the error. */
type Outcome = object;

/** Opens a platform with two new projects. */
export async function openPartsRig(): Promise<PartsRig> {
  const limits = {
    ...PLATFORM_LIMITS,
    ...{
      upload_part_bytes: PART_BYTES,
      build_file_bytes: FILE_BYTES,
      rate_parts_per_minute: 1_000_000,
    },
  };
  await using opening = new AsyncDisposableStack();
  const first = opening.use(await openPlatform({ limits }));
  let platform: OpenPlatform = first;
  let ada: Person = await platform.person('Ada');
  const create = async (title: string) =>
    (await ada.client.call('createProject', { body: { title } })).game;
  const [parts, zip] = [await create('Parts'), await create('Zip')];
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  opening.defer(() => db.destroy());
  let versions = 0;

  const restart = async (): Promise<void> => {
    await platform.running.close();
    const { dataDir, settings } = first;
    platform = stack.use(await openPlatform({ limits, dataDir, settings }));
    ada = await platform.person('Ada');
  };
  const sendAll = async (files: Files, travel: Travel): Promise<Upload> => {
    let upload = await openUpload(ada.client, parts.id, files);
    const contents = contentsOf(upload, files);
    const acknowledged = new Set(upload.received);
    const reopen = async (): Promise<void> => {
      const again = await openUpload(ada.client, parts.id, files);
      assert.equal(again.id, upload.id, 'the same upload goes on');
      assert.deepEqual(new Set(again.received), acknowledged, 'the parts that were acknowledged');
      upload = again;
    };
    for (const part of shuffle(upload.part_count, travel.seed)) {
      if (travel.restart === part) {
        await restart();
        await reopen();
      }
      const bytes = partOf(upload, contents, part);
      for (const { share } of travel.cuts.filter((one) => one.part === part)) {
        await sendCut(platform, ada, { game: parts.id, upload, part, bytes, share });
        await reopen();
      }
      if (acknowledged.has(part)) continue;
      const times = travel.twice ? 2 : 1;
      for (let time = 0; time < times; time++) {
        await sendPart(ada.client, parts.id, upload, part, bytes);
      }
      acknowledged.add(part);
    }
    return upload;
  };
  const publish = async (files: Files, version: string, travel: Travel): Promise<PublishAnswer> => {
    if (travel.damaged !== null) await publishDamaged(files, version, travel.damaged);
    const upload = await sendAll(files, travel);
    const params = { id: parts.id, upload: upload.id };
    return ada.client.call('publishUpload', { params, body: { version } });
  };
  /** Sends one part with other content of the same size. The publish must be rejected, and change nothing. */
  const publishDamaged = async (files: Files, version: string, damaged: number): Promise<void> => {
    const upload = await openUpload(ada.client, parts.id, files);
    const bad = upload.received.length === 0 ? damaged % Math.max(1, upload.part_count) : -1;
    if (upload.part_count === 0 || bad < 0) return;
    const contents = contentsOf(upload, files);
    for (let part = 0; part < upload.part_count; part++) {
      const bytes = Buffer.from(partOf(upload, contents, part));
      if (part === bad) bytes[0] = (bytes[0] ?? 0) ^ 1;
      await sendPart(ada.client, parts.id, upload, part, bytes);
    }
    const params = { id: parts.id, upload: upload.id };
    const call = ada.client.call('publishUpload', { params, body: { version } });
    await assert.rejects(call, { code: 'zip_crc_mismatch' });
  };
  const compare = async (): Promise<void> => {
    const [ours, theirs] = [
      await readProject(platform, ada.client, parts.id),
      await readProject(platform, ada.client, zip.id),
    ];
    assert.deepEqual(ours, theirs);
  };
  const zipTwin = (files: Files, version: string): Promise<Outcome> =>
    outcomeOf(publishBuild(ada.client, zip.id, version, files));

  const stack = opening.move();
  return {
    async run(step) {
      switch (step.do) {
        case 'publish': {
          const version = `v${++versions}`;
          const files = contentsNamed(step.files);
          const outcome = await outcomeOf(publish(files, version, step.travel));
          assert.deepEqual(outcome, await zipTwin(files, version));
          break;
        }
        case 'race':
          await race(step);
          break;
        case 'abandon': {
          const files = contentsNamed(step.files);
          const upload = await openUpload(ada.client, parts.id, files).catch(notRefused);
          if (upload === null) break;
          const contents = contentsOf(upload, files);
          for (let part = 0; part < Math.min(step.parts, upload.part_count); part++) {
            const bytes = partOf(upload, contents, part);
            await sendPart(ada.client, parts.id, upload, part, bytes);
          }
          break;
        }
        case 'expire':
          await db.updateTable('uploads').set({ touched_at: 0 }).execute();
          await runUpkeep(platform);
          break;
        case 'delete':
          await deleteOldest();
          break;
      }
      await compare();
    },
    async finish() {
      await db.updateTable('uploads').set({ touched_at: 0 }).execute();
      await runUpkeep(platform);
      await compare();
      const keys = await storedKeys(platform, parts.id);
      assert.deepEqual(
        keys.filter((key) => key.includes('/part-')),
        [],
      );
      const open = await db
        .selectFrom('attempts')
        .select('id')
        .where('state', 'in', ['open', 'receiving', 'abandoned'])
        .execute();
      assert.deepEqual(open, []);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };

  /** The ZIPs are published in the order in which the releases in parts were. */
  async function race(step: Extract<Step, { do: 'race' }>): Promise<void> {
    const { isSameVersion } = step;
    const files = step.files.map(contentsNamed);
    const names = [`v${++versions}`, isSameVersion ? `v${versions}` : `v${++versions}`];
    const outcomes = await Promise.all(
      files.map((own, at) => outcomeOf(publishInTurn(names[at] ?? '', own))),
    );
    const done = await releasesOf(ada.client, parts.id);
    const published = names
      .map((version, at) => ({ version, files: files[at] ?? {}, outcome: outcomes[at] ?? {} }))
      .filter(({ outcome }) => !('code' in outcome));
    if (isSameVersion) assert.ok(published.length <= 1, 'a version is published once');
    for (const { version } of done.toReversed()) {
      const one = published.find((own) => own.version === version);
      if (one !== undefined) await zipTwin(one.files, version);
    }
    for (const [at, outcome] of outcomes.entries()) {
      if (!('code' in outcome)) continue;
      // A rejected publish has the code of its ZIP, or has lost the race.
      const expected = await outcomeOf(publishDry(files[at] ?? {}));
      if ('code' in expected) assert.deepEqual(outcome, expected);
      else {
        assert.ok(isSameVersion && published.length === 1, JSON.stringify(outcome));
        assert.equal(outcome.code, 'version_exists');
      }
    }
  }

  /** Tries again as clients do: while the other release is published, and if that has ended the upload, which both share. */
  async function publishInTurn(version: string, files: Files): Promise<PublishAnswer> {
    for (;;) {
      try {
        return await publishParts(ada.client, parts.id, version, files);
      } catch (error) {
        if (!(error instanceof PlatformError && TRY_AGAIN.has(String(error.code)))) throw error;
        await setImmediate();
      }
    }
  }

  async function publishDry(files: Files): Promise<PublishAnswer> {
    const { game } = await ada.client.call('createProject', { body: { title: 'Verdict' } });
    try {
      return await publishBuild(ada.client, game.id, '1', files);
    } finally {
      await removeProject(ada.client, game.id);
    }
  }

  async function deleteOldest(): Promise<void> {
    const oldest = (await releasesOf(ada.client, parts.id)).findLast(({ live }) => !live);
    if (oldest === undefined) return;
    for (const { id } of [parts, zip]) {
      await ada.client.call('deleteRelease', { params: { id, version: oldest.version } });
    }
  }
}

const TRY_AGAIN: ReadonlySet<string> = new Set(['publish_in_progress', 'not_found']);

function notRefused(error: unknown): null {
  if (error instanceof PlatformError && error.code?.startsWith('zip_')) return null;
  throw error;
}

async function outcomeOf(publish: Promise<PublishAnswer>): Promise<Outcome> {
  try {
    const { release, diff, findings } = await publish;
    return { release: comparable(release), diff, findings };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { code, details } = error;
    return { code, details };
  }
}

/** A release without ids and times, and without the size of its ZIP. */
function comparable({ version, live, expanded_bytes, file_count, digest, isolation }: Release) {
  return { version, live, expanded_bytes, file_count, digest, isolation };
}

async function releasesOf(client: PlatformClient, id: string): Promise<Release[]> {
  return (await client.call('releases', { params: { id }, query: { limit: '100' } })).releases;
}

/** The releases of a project, the files that players get, and the hashes of the stored contents. */
async function readProject(platform: OpenPlatform, client: PlatformClient, id: string) {
  const { game } = await client.call('project', { params: { id } });
  const releases = (await releasesOf(client, id)).map(comparable);
  const keys = await storedKeys(platform, id);
  const contents = keys
    .map((key) => key.split('/')[2] ?? '')
    .filter((name) => /^[0-9a-f]{64}/.test(name));
  const played: Record<string, string> = {};
  for (const path of PLAYED) {
    const answer = await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`);
    const names = ['content-type', 'content-encoding', 'etag', 'cache-control'];
    const headers = names.map((name) => answer.headers.get(name)).join(' ');
    played[path] =
      `${answer.status} ${answer.ok ? headers : ''} ${answer.ok ? digestOf(Buffer.from(await answer.arrayBuffer())) : ''}`;
  }
  return { status: game.status, releases, played, contents: [...new Set(contents)].sort() };
}

/** The paths that a build may have. */
export const PLAYED = ['index.html', 'main.js', 'Main.js', 'art/a.bin', 'art/b.bin', 'data.json'];

type CutPart = {
  readonly game: string;
  readonly upload: Upload;
  readonly part: number;
  readonly bytes: Buffer;
  readonly share: number;
};

/** Sends a part until a byte of its body, and cuts the connection. */
async function sendCut(
  { baseUrl }: OpenPlatform,
  { idToken }: Person,
  { game, upload, part, bytes, share }: CutPart,
): Promise<void> {
  const cut = request(`${baseUrl}/projects/${game}/uploads/${upload.id}/parts/${part}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${idToken}`,
      'content-type': 'application/octet-stream',
      'content-digest': digestOf(bytes),
      'content-length': bytes.length,
    },
  });
  const closed = new Promise<void>((resolve) => {
    cut.on('error', () => resolve());
    cut.on('close', () => resolve());
  });
  const sent = Math.min(bytes.length - 1, Math.floor(bytes.length * share));
  cut.flushHeaders();
  await new Promise<void>((resolve) => {
    cut.write(bytes.subarray(0, Math.max(0, sent)), () => resolve());
  });
  cut.destroy();
  await closed;
}

/** The files in the order of a packed ZIP, so that the findings have the same order. */
function contentsNamed(names: NamedFiles): Files {
  const sorted = Object.entries(names).sort(([a], [b]) => comparePaths(a, b));
  return Object.fromEntries(sorted.map(([path, name]) => [path, CONTENTS[name]]));
}

/** Bytes that cannot be compressed, the same in each run. */
function noise(bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  const next = numbers(bytes);
  for (let at = 0; at < bytes; at++) buffer[at] = next() >>> 24;
  return buffer;
}

/** The linear congruential generator of Numerical Recipes. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

/** The numbers below `count` in an order that the seed decides. */
function shuffle(count: number, seed: number): number[] {
  const order = Array.from({ length: count }, (_, number) => number);
  const next = numbers(seed);
  for (let at = order.length - 1; at > 0; at--) {
    const other = next() % (at + 1);
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
  return order;
}
