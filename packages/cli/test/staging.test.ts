// Staged releases and links to play them, against platforms that are too old, full, or have a build that does not start.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, json, ME, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { GAME, ID, limitsAre, RELEASE } from './records.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const OPEN_GAME = { ...GAME, play_url: null };
const LONG_NAME = `feature/${'a'.repeat(56)}`;
const PREVIEW = {
  id: '0197a1a0-0000-7000-8000-00000000000c',
  name: LONG_NAME,
  version: '2026.11.21-134502',
  url: 'http://play.example/cats/.preview/0197a1a0-0000-7000-8000-00000000000c.0123456789abcdefghijkl/',
  created_at: '2026-11-21T13:45:02.000Z',
  expires_at: '2026-12-05T13:45:02.000Z',
  last_used_at: null,
} as const;

/** A game's folder, and a platform where a project has at most two links. */
async function start(
  t: TestContext,
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  project: object = { id: ID },
) {
  const platform = await startFaultyPlatform(t, {
    'GET /me': json(200, ME),
    'GET /limits': limitsAre({ previews_per_project: 2 }),
    [`GET /projects/${ID}`]: json(200, { game: OPEN_GAME, page: {}, live_release: null }),
    ...answers,
  });
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'dist/index.html'), '<!doctype html><title>Cats</title>\n');
  const path = join(cwd, 'svc.json');
  writeFileSync(path, JSON.stringify({ title: 'Cats', build: 'dist', ...project }));
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url, SVC_BROWSER: 'none' };
  const run = (...args: string[]) => runHere(t, args, { cwd, env });
  const routes = () => platform.seen.map(({ route }) => route);
  return { run, routes, url: platform.url, readProject: () => readFileSync(path, 'utf8') };
}

test('a platform without staged releases is reported before anything is created, uploaded or changed', async (t) => {
  const { run, routes, url, readProject } = await start(t, { 'GET /limits': limitsAre({}) }, {});
  const before = readProject();
  for (const args of [
    ['publish', '--stage'],
    ['publish', '--preview', 'pr-1'],
    ['publish', '--stage', '--dry-run'],
    ['promote', '1', '--project', ID],
    ['offer', '1', '--project', ID],
    ['preview', 'list', '--project', ID],
    ['preview', 'create', '1', '--project', ID],
    ['preview', 'revoke', 'pr-1', '--project', ID],
  ]) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 11, stderr);
    assert.equal(
      stderr,
      `svc: The platform at ${url} is too old for staged releases and preview links.\nAsk its operator to update it.\n`,
    );
  }
  assert.equal(readProject(), before);
  assert.deepEqual(new Set(routes()), new Set(['GET /me', 'GET /limits']));
});

test('svc publish uploads nothing if the release needs a link and the project has no more', async (t) => {
  const previews = json(200, { previews: [PREVIEW, { ...PREVIEW, name: null }] });
  const publish = `POST /projects/${ID}/publish`;
  const { run, routes } = await start(t, {
    [`GET /projects/${ID}/previews`]: previews,
    [publish]: json(201, {
      game: OPEN_GAME,
      url: 'https://store.example/games/cats',
      release: { ...RELEASE, version: '3', staged: true },
      preview: null,
      diff: { new: [], changed: ['index.html'], same: [], gone: [] },
      findings: [],
    }),
  });
  for (const args of [['--stage'], ['--preview', 'pr-1']]) {
    const { code, stderr } = await run('publish', ...args);
    assert.equal(code, 8, stderr);
    assert.match(stderr, /Cannot create another link: the project has 2\.\nRevoke links/);
  }
  assert.ok(!routes().includes(publish));
  // The link exists.
  assert.equal((await run('publish', '--preview', LONG_NAME)).code, 0);
  assert.ok(routes().includes(publish));
});

test('svc publish exits with 9 and the link if a staged build does not start', async (t) => {
  const staged = { ...RELEASE, version: '3', staged: true };
  const { run, url } = await start(t, {
    [`GET /projects/${ID}/previews`]: json(200, { previews: [] }),
    [`POST /projects/${ID}/publish`]: (request, response) =>
      json(201, {
        game: OPEN_GAME,
        url: 'https://store.example/games/cats',
        release: staged,
        preview: { ...PREVIEW, name: null, url: `${url}/.preview/x/` },
        diff: { new: [], changed: ['index.html'], same: [], gone: [] },
        findings: [],
      })(request, response),
  });
  const { code, stdout, stderr } = await run('publish', '--stage', '--json');
  assert.equal(code, 9, stderr);
  const { published, staged: isStaged, unchanged, error } = JSON.parse(stdout);
  assert.deepEqual([published, isStaged, unchanged], [false, true, false]);
  assert.equal(error.message, 'Version 3 is staged, but the game does not start.');
  assert.equal(
    error.hint,
    `Players still get version 2. Correct the build and stage it under another version. To see the fault, play it at ${url}/.preview/x/.`,
  );
});

test('svc publish does not start a staged build of a game that the operator has taken down', async (t) => {
  const staged = { ...RELEASE, version: '3', staged: true };
  const down = { at: '2026-11-28T12:00:00.000Z', reason: 'Malware' };
  const { run, url, routes } = await start(t, {
    [`GET /projects/${ID}/previews`]: json(200, { previews: [] }),
    [`POST /projects/${ID}/publish`]: (request, response) =>
      json(201, {
        game: { ...OPEN_GAME, status: 'draft', taken_down: down },
        url: 'https://store.example/games/cats',
        release: staged,
        preview: { ...PREVIEW, name: null, url: `${url}/.preview/x/` },
        diff: { new: [], changed: ['index.html'], same: [], gone: [] },
        findings: [],
      })(request, response),
  });
  const { code, stderr, stdout } = await run('publish', '--stage');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /taken the game down\. The link works when the game is restored\./);
  assert.match(stdout, /^Staged Cats, version 3\. Players cannot play it yet\./);
  assert.ok(!routes().some((route) => route.includes('.preview')));
});

test('svc preview list fits into 80 columns except for addresses, and shows whole names', async (t) => {
  const { run } = await start(t, {
    [`GET /projects/${ID}/previews`]: json(200, {
      previews: [
        PREVIEW,
        { ...PREVIEW, name: null, last_used_at: '2026-11-22T10:00:00.000Z' },
        { ...PREVIEW, name: 'long', version: 'v'.repeat(64) },
      ],
    }),
  });
  const { stdout } = await run('preview', 'list');
  const dates = 'expires 2026-12-05';
  assert.deepEqual(stdout.split('\n'), [
    LONG_NAME,
    `  version 2026.11.21-134502, ${dates}, never used`,
    `  ${PREVIEW.url}`,
    PREVIEW.id,
    `  version 2026.11.21-134502, ${dates}, last used 2026-11-22`,
    `  ${PREVIEW.url}`,
    'long',
    `  version ${'v'.repeat(64)},`,
    `  ${dates}, never used`,
    `  ${PREVIEW.url}`,
    '',
  ]);
  const lines = stdout.split('\n').filter((line) => !line.includes('http'));
  assert.ok(lines.every((line) => line.length <= 80));
});

test('names and lifetimes of links that the platform would reject are rejected before a request', async (t) => {
  const { run, routes } = await start(t, {});
  const name = await run('publish', '--preview', `${LONG_NAME}b`);
  assert.equal(name.code, 2);
  assert.match(name.stderr, / --preview is not valid\. A name has at most 64 characters\./);
  const days = await run('preview', 'create', '1', '--expires-in-days', '91');
  assert.equal(days.code, 2);
  assert.match(
    days.stderr,
    / --expires-in-days is not valid\. Write a whole number from 1 to 90\./,
  );
  assert.deepEqual(routes(), []);
});
