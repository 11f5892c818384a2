// `svc publish` against a healthy platform: what it does depending on the live release, and what it sends and leaves.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BUILD_LIMITS, checkBuild, packToFile } from '@svc/game-build';
import {
  type Answer,
  error,
  json,
  ME,
  noted,
  startFaultyPlatform,
  TOKEN,
} from './faulty-platform.ts';
import { GAME, ID, limitsAre, RELEASE } from './records.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const PAGE = '<!doctype html><title>Cats</title>\n';
const OPEN_GAME = { ...GAME, play_url: null };
const LIMITS = limitsAre({});

type Sent = { readonly route: string; readonly body: string };

/** A game's folder, and a platform that records the requests. */
async function start(
  t: TestContext,
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  project: object = { id: ID },
) {
  const sent: Sent[] = [];
  const all = { 'GET /me': json(200, ME), 'GET /limits': LIMITS, ...answers };
  const platform = await startFaultyPlatform(
    t,
    noted(all, (route, body) => sent.push({ route, body })),
  );
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'dist/index.html'), PAGE);
  writeFileSync(
    join(cwd, 'svc.json'),
    JSON.stringify({ title: 'Cats', build: 'dist', ...project }),
  );
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const run = (...args: string[]) => runHere(t, ['publish', ...args], { cwd, env });
  const routes = () => sent.map(({ route }) => route);
  return { run, sent, routes, cwd };
}

/** The digest of the folder that every test in this file publishes. */
async function digestOf(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/index.html'), PAGE);
  const signal = new AbortController().signal;
  await packToFile(join(folder, 'dist'), join(folder, 'b.zip'), { signal });
  const verdict = await checkBuild(join(folder, 'b.zip'), { signal });
  assert.ok(verdict.accepted);
  return verdict.build.digest;
}

const project = (game: object, live_release: object | null): Answer =>
  json(200, { game, page: {}, live_release });

const published = (changes: object = {}): Answer =>
  json(201, {
    game: OPEN_GAME,
    url: 'https://store.example/games/cats',
    release: { ...RELEASE, live: true },
    diff: { new: ['index.html'], changed: [], same: ['a'], gone: ['b'] },
    findings: [],
    ...changes,
  });

const PUBLISH = `POST /projects/${ID}/publish`;

/** The parts of a multipart body by name; for the build, its file name. */
function partsOf({ body }: Sent): Record<string, string> {
  const parts = body.matchAll(
    /form-data; name="(\w+)"(?:; filename="([^"]*)")?.*?\r\n\r\n(.*?)\r\n--/gs,
  );
  return Object.fromEntries(
    [...parts].map(([, name = '', file, text = '']) => [name, file ?? text]),
  );
}

test('svc publish uploads version, notes and ZIP, and reports page, differences and findings', async (t) => {
  const findings = [{ code: 'x', entry: 'index.html', message: 'Look at this.', hint: 'So.' }];
  const { run, sent, routes } = await start(t, {
    [`GET /projects/${ID}`]: project(OPEN_GAME, RELEASE),
    [PUBLISH]: published({ findings }),
  });
  const { code, stdout, stderr } = await run('--version', '1.2', '--notes', 'Línea');
  assert.equal(code, 0, stderr);
  assert.deepEqual(routes(), [`GET /projects/${ID}`, 'GET /limits', PUBLISH]);
  const upload = sent.at(-1) ?? assert.fail('nothing is uploaded');
  const notes = Buffer.from('Línea').toString('latin1');
  assert.deepEqual(partsOf(upload), { version: '1.2', notes, build: 'build.zip' });
  assert.equal(
    stdout,
    [
      'Published Cats, version 2.',
      `1 new, 1 same, 1 gone; ${PAGE.length} B for players to download`,
      '  + index.html',
      '  - b',
      '',
      '1 warning',
      '  ! index.html: Look at this.',
      '    So.',
      '',
      'Page  https://store.example/games/cats',
      '',
    ].join('\n'),
  );
});

test('svc publish reads the notes from a file, and rejects both options for notes', async (t) => {
  const { run, sent, cwd } = await start(t, {
    [`GET /projects/${ID}`]: project(OPEN_GAME, null),
    [PUBLISH]: published(),
  });
  writeFileSync(join(cwd, 'NEWS.md'), '# News\n');
  const both = await run('--notes', 'x', '--notes-file', 'NEWS.md');
  assert.equal(both.code, 2);
  assert.match(both.stderr, /--notes and --notes-file cannot be combined/);
  assert.deepEqual(sent, []);
  assert.equal((await run('--notes-file', 'NEWS.md')).code, 0);
  const { version = '', ...rest } = partsOf(sent.at(-1) ?? assert.fail('nothing is uploaded'));
  assert.deepEqual(rest, { notes: '# News\n', build: 'build.zip' });
  // In UTC, different each second, and in the order of time.
  assert.match(version, /^20\d\d\.\d\d\.\d\d-\d{6}$/);
  await run();
  assert.equal('notes' in partsOf(sent.at(-1) ?? assert.fail('nothing is uploaded')), false);
});

test('svc publish does not upload a build with the same files, unless --force is given', async (t) => {
  const digest = await digestOf(t);
  const live = { ...RELEASE, live: true, digest };
  const { run, routes } = await start(t, {
    [`GET /projects/${ID}`]: project(GAME, live),
    [PUBLISH]: published(),
  });
  const { code, stdout, stderr } = await run('--version', 'new');
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    'Nothing to do: version 2 with the same files is live.\nhttp://play.example/cats/\n',
  );
  assert.match(
    stderr,
    /Nothing was uploaded\. Use --force to publish the same files under a new version/,
  );
  assert.ok(!routes().includes(PUBLISH));
  const document = await run('--json');
  assert.deepEqual(JSON.parse(document.stdout), {
    ...{ published: false, staged: false, unchanged: true },
    ...{ game: GAME, release: live, url: GAME.play_url },
  });
  assert.equal((await run('--force')).code, 0);
  assert.equal(routes().at(-1), PUBLISH);
});

test('svc publish puts an unpublished game online again with its release of the same files, unless another version is named', async (t) => {
  const digest = await digestOf(t);
  const draft = { ...OPEN_GAME, status: 'draft' };
  const answers = {
    [`GET /projects/${ID}`]: project(draft, { ...RELEASE, digest }),
    [`POST /projects/${ID}/rollback`]: json(200, {
      game: OPEN_GAME,
      release: { ...RELEASE, live: true, digest },
    }),
    [PUBLISH]: published(),
  };
  for (const args of [[], ['--version', '2']]) {
    const { run, sent } = await start(t, answers);
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Online again: Cats, version 2, which was published before/);
    assert.match(stderr, /Nothing was uploaded/);
    assert.deepEqual(sent.at(-1), {
      route: `POST /projects/${ID}/rollback`,
      body: '{"version":"2"}',
    });
  }
  for (const args of [['--version', '3'], ['--force']]) {
    const { run, routes } = await start(t, answers);
    assert.equal((await run(...args)).code, 0);
    assert.equal(routes().at(-1), PUBLISH);
  }
});

test('svc publish creates the project if svc.json names none, and writes id and slug into it', async (t) => {
  const created = { ...OPEN_GAME, slug: 'cats-2', status: 'draft', version: null };
  const { run, sent, cwd } = await start(
    t,
    { 'POST /projects': json(201, { game: created }), [PUBLISH]: published() },
    { $schema: 's.json', slug: 'cats', engine: 'godot', ignore: ['*.psd'] },
  );
  const { code, stderr } = await run();
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /^Created the project "Cats" \(cats-2\) and wrote its id into svc\.json\.$/m,
  );
  assert.deepEqual(
    sent.map(({ route }) => route),
    ['GET /me', 'GET /limits', 'POST /projects', PUBLISH],
  );
  assert.deepEqual(JSON.parse(sent[2]?.body ?? ''), {
    title: 'Cats',
    slug: 'cats',
    engine: 'godot',
  });
  const project = { title: 'Cats', build: 'dist', engine: 'godot', ignore: ['*.psd'] };
  const written = JSON.parse(readFileSync(join(cwd, 'svc.json'), 'utf8'));
  assert.deepEqual(written, { $schema: 's.json', ...project, id: ID, slug: 'cats-2' });
  assert.equal(Object.keys(written)[0], '$schema');
  assert.deepEqual(readdirSync(cwd).sort(), ['dist', 'svc.json']);
});

test('svc publish reports a project that the platform does not know, and keeps svc.json', async (t) => {
  const { run, cwd } = await start(t, {
    [`GET /projects/${ID}`]: error(404, 'not_found', 'No such project'),
  });
  const before = readFileSync(join(cwd, 'svc.json'), 'utf8');
  const { code, stdout, stderr } = await run('--json');
  assert.deepEqual([code, JSON.parse(stdout).error.code], [5, 'not_found']);
  assert.match(
    stderr,
    new RegExp(`^svc: http\\S+ has no project ${ID}\\.\nIts id is from svc\\.json`),
  );
  assert.match(
    stderr,
    /If you have deleted the game, look in the dashboard whether you can restore/,
  );
  assert.equal(readFileSync(join(cwd, 'svc.json'), 'utf8'), before);
});

test('svc publish --dry-run publishes nothing, and checks an update on the platform and a new game on this machine', async (t) => {
  const verdict = {
    release: { ...RELEASE, live: false },
    diff: { new: [], changed: ['index.html'], same: [], gone: [] },
    findings: [],
  };
  const update = await start(t, {
    [`GET /projects/${ID}`]: project(GAME, { ...RELEASE, live: true }),
    [PUBLISH]: json(200, { ...verdict, root: '', dropped: [], files: [] }),
  });
  const { code, stdout, stderr } = await update.run('--dry-run', '--version', '3', '--json');
  assert.equal(code, 0, `${stdout}${stderr}`);
  const document = JSON.parse(stdout);
  assert.deepEqual([document.published, document.dry_run], [false, true]);
  assert.deepEqual(document.diff, { ...verdict.diff, bytes: PAGE.length });
  assert.equal(update.routes().at(-1), `${PUBLISH}?dry_run=true`);
  assert.match(stderr, /This was a dry run\. Nothing was published\./);
  const fresh = await start(t, {}, {});
  const local = await fresh.run('--dry-run', '--version', '3');
  assert.equal(local.code, 0);
  assert.match(
    local.stdout,
    /^Would publish version 3, and create the project\.\n1 new; 35 B for players to download\n {2}\+ index\.html\n/,
  );
  assert.deepEqual(fresh.routes(), ['GET /me', 'GET /limits']);
});

test('svc publish of an existing version finds it on any page, or exits with 6', async (t) => {
  const digest = await digestOf(t);
  const releases = (list: object[], next_cursor: string | null): Answer =>
    json(200, { releases: list, next_cursor });
  const other = { ...RELEASE, version: '1', digest };
  const answersWith = (own: object, status = 'published') => ({
    [`GET /projects/${ID}`]: project({ ...OPEN_GAME, status }, null),
    [PUBLISH]: error(409, 'version_exists', 'Used before'),
    [`GET /projects/${ID}/releases`]: [releases([other], 'c'), releases([own], null)],
    [`POST /projects/${ID}/rollback`]: json(200, {
      game: OPEN_GAME,
      release: { ...RELEASE, live: true, digest },
    }),
  });
  const same = await start(t, answersWith({ ...RELEASE, digest }));
  const found = await same.run('--version', '2');
  assert.equal(found.code, 0, found.stderr);
  assert.match(found.stdout, /^Already published: version 2 has the same files\.\n/);
  assert.match(
    found.stderr,
    /warning: Version 2 is not live\. Run svc rollback 2 to make it live\./,
  );
  const address = `GET /projects/${ID}/releases?limit=100`;
  assert.deepEqual(same.routes().slice(3), [address, `${address}&cursor=c`, `GET /projects/${ID}`]);
  const draft = await start(t, answersWith({ ...RELEASE, digest }, 'draft'));
  const online = await draft.run('--version', '2', '--json');
  assert.equal(online.code, 0, online.stderr);
  assert.equal(JSON.parse(online.stdout).online_again, true);
  const differs = await start(t, answersWith(RELEASE));
  const conflict = await differs.run('--version', '2');
  assert.equal(conflict.code, 6);
  assert.match(
    conflict.stderr,
    /^svc: Version "2" was published before with other files\.\nEach version can be used once/m,
  );
});

test('svc publish applies the limits that the platform reports', async (t) => {
  const { run, routes } = await start(t, {
    [`GET /projects/${ID}`]: project(OPEN_GAME, null),
    'GET /limits': limitsAre({ build_files: 1, build_expanded_bytes: PAGE.length - 1 }),
  });
  const { code, stdout } = await run('--json');
  assert.equal(code, 8, stdout);
  assert.ok(!routes().includes(PUBLISH));
  assert.ok(BUILD_LIMITS.expanded_bytes > PAGE.length);
});
