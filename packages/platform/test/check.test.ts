// `svc-platform check` beside a running server: lost, damaged and orphaned files are reported and repaired.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { readSettings } from '../src/index.ts';
import type { StoredVariant } from '../src/storage/stored-bytes.ts';
import { makeMp4 } from './make-trailer.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

type Line = Record<string, unknown>;

/** Runs the command on the platform's data. */
async function check(platform: OpenPlatform, ...args: string[]) {
  const { databaseUrl } = platform.settings;
  const command = [MAIN, 'check', '--data-dir', platform.dataDir, ...args];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      ...(databaseUrl === null ? {} : { SVC_DATABASE_URL: databaseUrl }),
    },
    timeout: 60_000,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const [code] = await once(child, 'close');
  return { code, output, errors };
}

/** As `check`, with the problems by key and the summary. */
async function checkJson(platform: OpenPlatform, ...args: string[]) {
  const { code, output, errors } = await check(platform, '--json', ...args);
  const lines: Line[] = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const summary = lines.pop();
  const problems = Object.fromEntries(
    lines.map(({ key, kind, outcome }) => [String(key), `${kind} ${outcome}`]),
  );
  return { code, errors, lines, problems, summary };
}

const text = (name: string): string => `${name} `.repeat(300);
const BUILD = {
  'index.html': text('page'),
  'a.js': text('a'),
  'b.js': text('b'),
  'c.js': text('c'),
};

async function openGame(platform: OpenPlatform) {
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Checked' } });
  await publishBuild(ada.client, game.id, '1', BUILD);
  const root = join(platform.dataDir, 'projects');
  return {
    ...{ ada, game },
    pathOf: (key: string): string => join(root, key),
    play: async (path: string, headers = {}) =>
      (await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`, { headers })).text(),
    keys: () => storedKeys(platform, game.id),
  };
}

type OpenGame = Awaited<ReturnType<typeof openGame>>;

/** Inserts the row of a publish that is at work for the next hour. */
async function insertOpenAttempt(db: Db, gameId: string): Promise<void> {
  const beat_at = Date.now() + 3_600_000;
  const attempt = { id: 'publishing', game_id: gameId, beat_at } as const;
  await db
    .insertInto('attempts')
    .values({ ...attempt, kind: 'publish', state: 'open' })
    .execute();
}

const sizeOf = (value: string): number => Buffer.byteLength(value);

test('a check of a healthy platform finds nothing, and reads every file', async () => {
  await using platform = await openPlatform();
  const { ada, game, keys } = await openGame(platform);
  await publishBuild(ada.client, game.id, '2', { ...BUILD, 'a.js': text('changed') });
  const { code, problems, summary } = await checkJson(platform);
  assert.deepEqual([code, problems], [0, {}]);
  assert.equal(summary?.['projects'], 1);
  assert.equal(summary?.['files'], (await keys()).length);
  assert.deepEqual(
    [summary?.['event'], summary?.['left'], summary?.['repaired']],
    ['checked', 0, 0],
  );
  const human = await check(platform);
  assert.match(human.output, /^Checked 1 project with \d+ files: no problems\n$/);
});

test('lost and damaged contents are reported, restored from the ZIP and played, and the damaged files are removed', async () => {
  await using platform = await openPlatform();
  const { ada, game, keys, pathOf, play } = await openGame(platform);
  // A later release shares contents, and its own ZIP lacks one of them.
  await publishBuild(ada.client, game.id, '2', { 'index.html': text('two'), 'b.js': text('b') });
  const before = await keys();
  const contents = before.filter((key) => /\/[0-9a-f]{64}$/.test(key));
  const withSize = (value: string) =>
    contents.filter((key) => statSync(pathOf(key)).size === sizeOf(value));
  const [a = ''] = withSize(BUILD['a.js']);
  const [, b = ''] = withSize(BUILD['b.js']);
  const [, , c = ''] = withSize(BUILD['c.js']);
  rmSync(pathOf(a));
  // The same size, other bytes.
  writeFileSync(pathOf(b), 'x'.repeat(sizeOf(BUILD['b.js'])));
  writeFileSync(pathOf(`${c}.br`), 'no brotli'.padEnd(statSync(pathOf(`${c}.br`)).size, '.'));
  const expected = { [a]: 'missing', [b]: 'damaged', [`${c}.br`]: 'damaged' };

  const sizes = await checkJson(platform, '--sizes-only');
  assert.deepEqual([sizes.code, sizes.problems], [1, { [a]: 'missing found' }]);
  const found = await checkJson(platform);
  const all = (outcome: string) =>
    Object.fromEntries(Object.entries(expected).map(([key, kind]) => [key, `${kind} ${outcome}`]));
  assert.deepEqual([found.code, found.problems], [1, all('found')]);
  const repaired = await checkJson(platform, '--repair');
  assert.deepEqual([repaired.code, repaired.problems], [0, all('restored')]);
  assert.deepEqual((await checkJson(platform)).problems, {});

  for (const [path, value] of Object.entries({ 'index.html': text('two'), 'b.js': text('b') })) {
    assert.equal(await play(path, { 'accept-encoding': 'identity' }), value, path);
    assert.equal(await play(path), value, `${path} compressed`);
  }
  await ada.client.call('rollback', { params: { id: game.id }, body: { version: '1' } });
  for (const [path, value] of Object.entries(BUILD)) {
    assert.equal(await play(path, { 'accept-encoding': 'identity' }), value, path);
    assert.equal(await play(path), value, `${path} compressed`);
  }
  // Removes what the repair has replaced.
  await runUpkeep(platform);
  const after = await keys();
  assert.equal(after.length, before.length);
  for (const key of [b, `${c}.br`]) assert.equal(after.includes(key), false, key);
});

test('what no ZIP contains is reported as not repaired, with what to do', async () => {
  await using platform = await openPlatform();
  const { keys, pathOf } = await openGame(platform);
  const zip = (await keys()).find((key) => key.endsWith('build.zip')) ?? '';
  writeFileSync(pathOf(zip), 'x'.repeat(statSync(pathOf(zip)).size));
  const content = (await keys()).find((key) => /\/[0-9a-f]{64}$/.test(key)) ?? '';
  rmSync(pathOf(content));
  const { code, problems, lines } = await checkJson(platform, '--repair');
  assert.equal(code, 1);
  assert.deepEqual(problems, { [zip]: 'damaged failed', [content]: 'missing failed' });
  for (const line of lines) assert.match(String(line['reason']), /Publish the build again$/);
  const [first] = lines;
  assert.deepEqual(first?.['versions'], ['1']);
  assert.equal(first?.['event'], 'problem');
  assert.ok(Number(first?.['bytes']) > 0);
  const human = await check(platform, '--repair');
  assert.match(human.output, /^damaged .*build\.zip \(version 1\): not repaired\. The ZIP .*\n/m);
  assert.match(human.output, /repaired 0 problems, 2 left\n$/);
});

/** Gives the page of a game a cover, two screenshots and a trailer, and returns the keys of their files by what they are. */
async function addMedia({ ada, game, keys }: OpenGame) {
  const before = await keys();
  const create = { width: 60, height: 40, channels: 3, background: '#3366cc' } as const;
  const image = new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]);
  const form = new FormData();
  form.set('metadata', '{}');
  for (const name of ['cover', 'screenshots', 'screenshots']) form.append(name, image, 'a.png');
  form.set('trailer', new Blob([new Uint8Array(makeMp4())]), 'a.mp4');
  const { page } = await ada.client.call('updateStore', { params: { id: game.id }, form });
  const added = (await keys()).filter((key) => !before.includes(key));
  const keyOf = (url = ''): string =>
    added.find((key) => key.endsWith(new URL(url).pathname.split('/').at(-1) ?? '')) ?? '';
  const { variants = [] } = page.screenshots[1] ?? {};
  return {
    all: added,
    cover: keyOf(page.cover?.url),
    variant: keyOf(variants.find(({ type }) => type === 'image/avif')?.url),
    trailer: keyOf(page.trailer?.url),
  };
}

/** Changes one byte in the middle. */
function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
}

test('an image, a variant and a trailer with one changed byte are damaged, and the report names their places on the page', async () => {
  await using platform = await openPlatform();
  const opened = await openGame(platform);
  const { game, pathOf } = opened;
  const { cover, variant, trailer, all } = await addMedia(opened);
  assert.deepEqual((await checkJson(platform)).problems, {});
  for (const key of [cover, variant, trailer]) flipByte(pathOf(key));
  const lost = all.find((key) => key !== cover && key.endsWith('.png')) ?? '';
  rmSync(pathOf(lost));

  const sizes = await checkJson(platform, '--sizes-only');
  assert.deepEqual(sizes.problems, { [lost]: 'missing found' });
  const { code, problems, lines } = await checkJson(platform, '--repair');
  const damaged = 'damaged failed';
  assert.deepEqual(
    [code, problems],
    [1, { [cover]: damaged, [variant]: damaged, [trailer]: damaged, [lost]: 'missing failed' }],
  );
  const named = Object.fromEntries(lines.map(({ key, medium }) => [key, medium]));
  assert.deepEqual(
    [named[cover], named[variant], named[trailer]],
    ['cover', 'screenshot 2', 'trailer'],
  );
  for (const line of lines) {
    assert.deepEqual([line['project'], line['slug']], [game.id, game.slug]);
    assert.match(String(line['reason']), /Upload it again$/);
  }
  const { output } = await check(platform);
  assert.ok(output.includes(`damaged ${variant} (screenshot 2 of "${game.slug}")\n`), output);
  // The advice of the report.
  const { all: again } = await addMedia(opened);
  const after = await checkJson(platform);
  assert.ok(again.length > 0);
  assert.deepEqual(Object.keys(after.problems).sort(), [lost, variant].sort(), 'old screenshots');
});

test('media of an older version have no hash: only their size is checked, and a repair adds no hash', async () => {
  await using platform = await openPlatform();
  const opened = await openGame(platform);
  const { pathOf } = opened;
  const { cover, variant, trailer } = await addMedia(opened);
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const rows = () => db.selectFrom('media').select(['id', 'hash', 'variants']).execute();
  try {
    for (const { id, variants } of await rows()) {
      const old = JSON.parse(variants).map(({ hash: _, ...one }: StoredVariant) => one);
      const change = { hash: null, variants: JSON.stringify(old) };
      await db.updateTable('media').set(change).where('id', '=', id).execute();
    }
    const before = await rows();
    for (const key of [cover, variant]) flipByte(pathOf(key));
    writeFileSync(pathOf(trailer), 'short');
    const { problems } = await checkJson(platform, '--repair');
    assert.deepEqual(problems, { [trailer]: 'damaged failed' });
    assert.deepEqual(await rows(), before);
  } finally {
    await db.destroy();
  }
});

test('files without a row are removed past the grace only, also those of deleted projects; a running publish keeps its files', async () => {
  await using platform = await openPlatform();
  const { game, keys, pathOf } = await openGame(platform);
  const before = await keys();
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const write = (key: string, ageHours: number): string => {
    const path = pathOf(key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'orphan');
    const at = new Date(Date.now() - ageHours * 3_600_000);
    utimesSync(path, at, at);
    return key;
  };
  const gone = '01999999-0000-7000-8000-000000000000';
  const old = [write(`${game.id}/unknown/a`, 25), write(`${gone}/unknown/a`, 25)];
  const fresh = [write(`${game.id}/unknown/b`, 23), write(`${gone}/other/b`, 23)];
  const open = write(`${game.id}/publishing/c`, 25);
  try {
    await insertOpenAttempt(db, game.id);
    const found = await checkJson(platform);
    assert.deepEqual(found.problems, Object.fromEntries(old.map((key) => [key, 'orphaned found'])));
    const human = await check(platform);
    assert.match(
      human.output,
      /2 problems\. Run svc-platform check --repair to repair what can be repaired\n$/,
    );
    const removed = await checkJson(platform, '--repair');
    assert.deepEqual(
      [removed.code, Object.values(removed.problems)],
      [0, ['orphaned removed', 'orphaned removed']],
    );
    for (const key of old) assert.equal(existsSync(pathOf(key)), false, key);
    for (const key of [...fresh, open, ...before]) assert.ok(existsSync(pathOf(key)), key);
    await checkJson(platform, '--repair', '--grace-hours', '0');
    for (const key of fresh) assert.equal(existsSync(pathOf(key)), false, key);
    assert.ok(existsSync(pathOf(open)));
  } finally {
    await db.deleteFrom('attempts').where('id', '=', 'publishing').execute();
    await db.destroy();
  }
});

test('a repair leaves folders alone that are not named as a project', async () => {
  await using platform = await openPlatform();
  const { pathOf } = await openGame(platform);
  const gone = '01999999-0000-7000-8000-000000000000';
  const others = ['staging/other-project/precious', 'lost+found/1', `${gone}.bak/a/b`];
  for (const key of [...others, `${gone}/a/b`]) {
    mkdirSync(dirname(pathOf(key)), { recursive: true });
    writeFileSync(pathOf(key), 'precious');
  }
  const { code, problems } = await checkJson(platform, '--repair', '--grace-hours', '0');
  assert.deepEqual([code, problems], [0, { [`${gone}/a/b`]: 'orphaned removed' }]);
  for (const key of others) assert.ok(existsSync(pathOf(key)), key);
});

test('a repair waits for no publish: it fails, and says so', async () => {
  await using platform = await openPlatform();
  const { game, keys, pathOf } = await openGame(platform);
  const content = (await keys()).find((key) => /\/[0-9a-f]{64}$/.test(key)) ?? '';
  rmSync(pathOf(content));
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  try {
    await insertOpenAttempt(db, game.id);
    const { code, lines } = await checkJson(platform, '--repair');
    assert.equal(code, 1);
    assert.equal(lines[0]?.['outcome'], 'failed');
    assert.match(String(lines[0]?.['reason']), /another publish of this project is running/);
  } finally {
    await db.deleteFrom('attempts').where('id', '=', 'publishing').execute();
    await db.destroy();
  }
  assert.equal((await checkJson(platform, '--repair')).code, 0);
});

test('the command names a wrong option or folder', async () => {
  await using platform = await openPlatform({ settings: readSettings({}) });
  for (const [args, message] of [
    [['--grace-hours', 'x'], /^Cannot use --grace-hours "x"\. Allowed: 0 to 9999\n$/],
    [['--repare'], /--repare/],
    [
      ['--data-dir', '/nowhere'],
      /^Cannot check "\/nowhere": it contains no database\. Name the folder/,
    ],
  ] as const) {
    const { code, output, errors } = await check(platform, ...args);
    assert.deepEqual([code === 0, output], [false, '']);
    assert.match(errors, message);
  }
});
