// `svc projects`, `releases`, `rollback` and `unpublish`: the requests to the platform, and the output.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, json, noted, reset, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { GAME, ID, RELEASE } from './records.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

/** Runs `svc` in a folder with this svc.json, and records the addresses and bodies of all requests. */
async function start(
  t: TestContext,
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  project: object | null = { id: ID, title: 'Cats' },
) {
  const asked: string[] = [];
  const platform = await startFaultyPlatform(
    t,
    noted(answers, (route, body) => asked.push(body === '' ? route : `${route} ${body}`)),
  );
  const cwd = temporaryFolder(t);
  if (project !== null) writeFileSync(join(cwd, 'svc.json'), JSON.stringify(project));
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const run = (...args: string[]) => runHere(t, args, { cwd, env });
  return { run, asked, platform };
}

test('svc projects lists the games of every page', async (t) => {
  const games = ['a', 'b', 'c'].map((id) => ({ ...GAME, id }));
  const [a, b, c] = games;
  const pages = [
    json(200, { games: [a, b], next_cursor: 'x/y' }),
    json(200, { games: [c], next_cursor: null }),
  ];
  const { run, asked } = await start(t, { 'GET /projects': [...pages, ...pages] }, null);
  const { code, stdout } = await run('projects', '--json');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), { games });
  assert.deepEqual(asked, ['GET /projects?limit=100', 'GET /projects?limit=100&cursor=x%2Fy']);
  const text = await run('projects');
  assert.equal(text.stdout.split('\n')[0], 'TITLE  SLUG  STATUS     VERSION  ID');
  assert.match(text.stdout, /^Cats +cats +published +2 +a\n.* b\n.* c\n$/m);
});

test('svc projects and svc releases show what the operator has taken down, and why', async (t) => {
  const at = '2026-11-28T12:00:00.000Z';
  const down = { ...GAME, status: 'draft', taken_down: { at, reason: 'Coin\u001bminer' } };
  const releases = [
    { ...RELEASE, version: '2', live: true, taken_down: { at, reason: null } },
    { ...RELEASE, version: '1', live: false, taken_down: null },
  ];
  const { run } = await start(t, {
    'GET /projects': json(200, { games: [down], next_cursor: null }),
    [`GET /projects/${ID}/releases`]: json(200, { releases, next_cursor: null }),
    [`GET /projects/${ID}`]: json(200, { game: down, page: {}, live_release: null }),
  });
  assert.match(
    (await run('projects')).stdout,
    /^Cats +cats +taken down +2 .*\n\nThe operator of the platform has taken cats down\. Reason: Coin\\x1bminer\n$/m,
  );
  const shown = (await run('releases')).stdout;
  assert.match(shown, /^2 .* taken down /m);
  assert.doesNotMatch(shown, /^1 .* taken down /m);
  assert.match(
    shown,
    /\n\nThe operator of the platform has taken version 2 down\. No reason was given\.\n$/,
  );
});

test('svc projects shows a draft without a version, cuts a long title, and reports an empty list', async (t) => {
  const draft = { ...GAME, title: 'x'.repeat(41), status: 'draft', version: null };
  const { run } = await start(t, {
    'GET /projects': [
      json(200, { games: [draft], next_cursor: null }),
      json(200, { games: [], next_cursor: null }),
    ],
  });
  assert.match((await run('projects')).stdout, new RegExp(`^x{39}… +cats +draft +- +${ID}$`, 'm'));
  assert.equal(
    (await run('projects')).stdout,
    'There are no games yet. Run svc init, then svc publish.\n',
  );
});

test('svc releases lists the releases of every page, and marks the one that is or was live', async (t) => {
  const old = { ...RELEASE, version: '1', notes: 'First', file_count: 1000, zip_bytes: 2048 };
  const now = { ...RELEASE, live: true };
  const pages = [
    json(200, { releases: [now], next_cursor: 'c' }),
    json(200, { releases: [old], next_cursor: null }),
  ];
  const of = (status: string) =>
    json(200, { game: { ...GAME, status }, page: {}, live_release: now });
  const { run, asked } = await start(t, {
    [`GET /projects/${ID}/releases`]: [...pages, ...pages, ...pages],
    [`GET /projects/${ID}`]: [of('published'), of('published'), of('draft')],
  });
  const { stdout } = await run('releases', '--json');
  assert.deepEqual(JSON.parse(stdout), { releases: [now, old] });
  const address = `GET /projects/${ID}/releases?limit=100`;
  assert.deepEqual(asked, [address, `${address}&cursor=c`, `GET /projects/${ID}`]);
  const text = await run('releases');
  assert.deepEqual(
    text.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    [
      ['VERSION', 'PUBLISHED', 'STATE', 'FILES', 'ZIP', 'NOTES'],
      ['2', '2026-01-02 03:04', 'live', '7', '1.0 KiB'],
      ['1', '2026-01-02 03:04', '1000', '2.0 KiB', 'First'],
    ],
  );
  assert.match((await run('releases')).stdout, /^2 .* last live +7 /m);
});

test('svc releases reports an empty list, and prefers --project to svc.json', async (t) => {
  const other = '0197a1a0-0000-7000-8000-0000000000ff';
  const { run, asked } = await start(t, {
    [`GET /projects/${other}/releases`]: json(200, { releases: [], next_cursor: null }),
    [`GET /projects/${other}`]: json(200, { game: GAME, page: {}, live_release: null }),
  });
  const { stdout } = await run('releases', '--project', other);
  assert.equal(stdout, 'There are no releases yet. Run svc publish.\n');
  assert.equal(asked.length, 2);
});

test('svc rollback sends the version to the platform, and repeats the request after a lost response', async (t) => {
  // The first request has had its effect, so the second one changes nothing.
  const answer = { game: GAME, release: RELEASE, replaced: null };
  const { run, asked, platform } = await start(t, {
    [`POST /projects/${ID}/rollback`]: [reset, json(200, answer), json(200, answer)],
  });
  const { code, stdout, stderr } = await run('rollback', '2');
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'Cats: version 2 is live.\nhttp://play.example/cats/\n');
  assert.match(stderr, /Trying again/);
  const document = await run('rollback', '2', '--json');
  assert.deepEqual(JSON.parse(document.stdout), answer);
  assert.equal(platform.seen.length, 3);
  assert.equal(asked.at(-1), `POST /projects/${ID}/rollback {"version":"2"}`);
});

test('svc unpublish takes the folder’s game offline, and repeats the request after a lost response', async (t) => {
  const game = { ...GAME, status: 'draft', play_url: null };
  const { run, platform } = await start(t, {
    [`POST /projects/${ID}/unpublish`]: [reset, json(200, { game })],
  });
  const { code, stdout, stderr } = await run('unpublish');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Cats is offline \(draft\)\.\nRun svc rollback to put it online again\./);
  assert.equal(platform.seen.length, 2);
  const document = await run('unpublish', '--json');
  assert.deepEqual(JSON.parse(document.stdout), { game });
});

test('svc commands about a project exit with 7 without svc.json, and with 5 if it was never published', async (t) => {
  for (const args of [['releases'], ['rollback', '1'], ['unpublish']]) {
    const none = await start(t, {}, null);
    const without = await none.run(...args, '--json');
    assert.deepEqual([without.code, JSON.parse(without.stdout).error.code], [7, 'no_project_file']);
    const fresh = await start(t, {}, { title: 'Cats' });
    const never = await fresh.run(...args, '--json');
    assert.deepEqual([never.code, JSON.parse(never.stdout).error.code], [5, 'not_published_yet']);
    assert.deepEqual([...none.platform.seen, ...fresh.platform.seen], []);
  }
});
