// What puts things back without a build: `svc rollback` without a version, its undo, and `svc slug`.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, error, json, TOKEN } from './faulty-platform.ts';
import { GAME, ID, limitsAre, RELEASE } from './records.ts';
import { runHere } from './run-here.ts';
import { startSignInPlatform } from './sign-in.ts';
import { temporaryFolder } from './svc.ts';

/** A sign-in waits for minutes if the browser does not return. */
const BOUND = { timeout: 60_000 };

async function start(t: TestContext, answers: Readonly<Record<string, Answer>>, project: object) {
  const platform = await startSignInPlatform(t, answers);
  const cwd = temporaryFolder(t);
  const file = join(cwd, 'svc.json');
  writeFileSync(file, JSON.stringify(project));
  const env = { SVC_API: platform.url };
  return {
    bodies: platform.bodies,
    project: () => JSON.parse(readFileSync(file, 'utf8')),
    url: platform.url,
    run: (...args: string[]) => runHere(t, args, { cwd, env: { ...env, SVC_TOKEN: TOKEN } }),
    signedIn: (...args: string[]) => platform.run([...args, '--no-open'], { cwd, env }),
  };
}

const HERE = { id: ID, title: 'Cats' };
const LIMITS = limitsAre({ former_slugs_per_project: 10 });
const projectIs = (game: object, live: object | null) =>
  json(200, { game: { ...GAME, ...game }, page: {}, live_release: live });

test('svc rollback without a version puts an unpublished game online with its last live release', async (t) => {
  const answers = {
    [`GET /projects/${ID}`]: projectIs({ status: 'draft' }, { ...RELEASE, version: '7' }),
    [`POST /projects/${ID}/rollback`]: json(200, { game: GAME, release: RELEASE, replaced: null }),
  };
  const { run, bodies } = await start(t, answers, HERE);
  const { code, stderr } = await run('rollback');
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /undo/);
  assert.deepEqual(bodies, [[`POST /projects/${ID}/rollback`, { version: '7' }]]);
});

test('svc rollback without a version changes nothing if the game is online or was never published', async (t) => {
  for (const [game, live, text] of [
    [{}, RELEASE, /Cats is online\.\n.*Name the version to roll back to/],
    [
      { status: 'draft' },
      null,
      /Cats was never online\.\n.*Run svc publish, or svc promote VERSION/,
    ],
  ] as const) {
    const answers = { [`GET /projects/${ID}`]: projectIs(game, live) };
    const { run, bodies } = await start(t, answers, HERE);
    const { code, stderr } = await run('rollback');
    assert.equal(code, 2, stderr);
    assert.match(stderr, text);
    assert.deepEqual(bodies, []);
  }
});

test('svc rollback and svc promote name the command that undoes them, with the project', async (t) => {
  for (const [command, options, undo] of [
    ['rollback', [], 'svc rollback 3'],
    ['promote', [], 'svc rollback 3'],
    ['promote', ['--project', ID], `svc rollback 3 --project ${ID}`],
    ['rollback', ['--api', 'URL'], 'svc rollback 3 --api URL'],
  ] as const) {
    const answer = { game: GAME, release: RELEASE, replaced: '3' };
    const limits = { previews_per_project: 50 };
    const { run, url } = await start(
      t,
      {
        [`POST /projects/${ID}/${command}`]: json(200, answer),
        'GET /limits': json(200, {
          ...{ limits, engines: [], categories: [], scopes: [] },
          media_origin: 'http://127.0.0.1',
        }),
      },
      HERE,
    );
    const { code, stderr } = await run(
      command,
      '2',
      ...options.map((word) => word.replace('URL', url)),
    );
    assert.equal(code, 0, stderr);
    assert.ok(stderr.includes(`To undo this, run ${undo.replace('URL', url)}.\n`), stderr);
  }
});

test('svc slug moves the page, and changes the slug in svc.json', BOUND, async (t) => {
  const answers = {
    'GET /limits': LIMITS,
    [`PUT /projects/${ID}/slug`]: json(200, { game: { ...GAME, slug: 'lions' } }),
  };
  const { signedIn, bodies, project } = await start(t, answers, { ...HERE, slug: 'cats' });
  const { code, stdout, stderr } = await signedIn('slug', 'lions');
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'Cats: the page is at /games/lions now.\n');
  assert.match(stderr, /Changed the slug in svc\.json\.\n$/);
  assert.deepEqual(bodies.at(-1), [`PUT /projects/${ID}/slug`, { slug: 'lions' }]);
  assert.deepEqual(project(), { ...HERE, slug: 'lions' });
});

test(
  'svc slug leaves the svc.json of another project and one without a slug as they are',
  BOUND,
  async (t) => {
    const answers = {
      'GET /limits': LIMITS,
      [`PUT /projects/${ID}/slug`]: json(200, { game: { ...GAME, slug: 'lions' } }),
    };
    for (const file of [HERE, { ...HERE, id: 'other', slug: 'cats' }]) {
      const { signedIn, project } = await start(t, answers, file);
      const { code, stderr } = await signedIn('slug', 'lions', '--project', ID);
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /svc\.json/);
      assert.deepEqual(project(), file);
    }
  },
);

test('svc slug reports a slug that is taken, and a platform that is too old', BOUND, async (t) => {
  const file = { ...HERE, slug: 'cats' };
  const taken = await start(
    t,
    {
      'GET /limits': LIMITS,
      [`PUT /projects/${ID}/slug`]: error(409, 'slug_taken', 'The slug "lions" is taken'),
    },
    file,
  );
  const refused = await taken.signedIn('slug', 'lions');
  assert.equal(refused.code, 6);
  assert.match(refused.stderr, /The slug "lions" is taken/);
  assert.deepEqual(taken.project(), file);
  const old = await start(t, { 'GET /limits': limitsAre({}) }, file);
  const { code, stderr } = await old.signedIn('slug', 'lions');
  assert.equal(code, 11, stderr);
  assert.match(stderr, /is too old for svc slug\./);
});
