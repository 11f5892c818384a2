// `svc publish` against a failing server: repeated requests, and exit codes.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkBuild } from '@svc/game-build';
import {
  type Answer,
  error,
  json,
  ME,
  reset,
  startFaultyPlatform,
  TOKEN,
} from './faulty-platform.ts';
import { GAME, ID, limitsAre } from './records.ts';
import { closedPort } from './sockets.ts';
import { runSvc, temporaryFolder } from './svc.ts';

const PAGE = '<!doctype html><title>Cats</title>\n';
const ISOLATION = 'credentialless';

function gameFolder(t: TestContext): string {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'dist/index.html'), PAGE);
  writeFileSync(join(cwd, 'dist/a.wasm'), new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ id: ID, title: 'Cats', build: 'dist' }));
  return cwd;
}

const game = (url: string) => ({ ...GAME, version: '1', play_url: `${url}/play/cats/` });

const release = (digest: string, live = true) => ({
  id: '0197a1a0-0000-7000-8000-00000000000b',
  version: '1',
  notes: null,
  created_at: '2026-01-01T00:00:00.000Z',
  live,
  zip_bytes: 1,
  expanded_bytes: 1,
  file_count: 1,
  digest,
  isolation: ISOLATION,
});

/** Responses that contain the server's address, which is known only when it listens. */
const withOwnUrl =
  (status: number, body: (url: string) => object): Answer =>
  (request, response) =>
    json(status, body(`http://${request.headers.host}`))(request, response);

const GOOD_PLAY: Record<string, Answer> = {
  'GET /play/cats/': (_, response) => {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': ISOLATION,
    });
    response.end(PAGE);
  },
  'GET /play/cats/a.wasm': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/wasm' });
    response.end(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  },
};

const COMMON: Record<string, Answer> = {
  'GET /limits': limitsAre({}),
  [`GET /projects/${ID}`]: withOwnUrl(200, (url) => ({
    game: { ...game(url), status: 'draft' },
    page: {},
    live_release: null,
  })),
};

const PUBLISHED = withOwnUrl(201, (url) => ({
  game: game(url),
  url: `${url}/games/cats`,
  release: release('sha256:0'),
  diff: { new: ['index.html'], changed: [], same: [], gone: [] },
  findings: [],
}));

/** Reads a part of an upload, then closes the connection. */
const dieMidUpload: Answer = (request: IncomingMessage) => {
  request.once('data', () => request.socket.resetAndDestroy());
};

/** Reads a whole upload, then closes the connection without a response. */
const loseAnswer: Answer = (request) => {
  request.resume();
  request.on('end', () => request.socket.resetAndDestroy());
};

async function publish(t: TestContext, answers: Parameters<typeof startFaultyPlatform>[1]) {
  const platform = await startFaultyPlatform(t, { ...COMMON, ...GOOD_PLAY, ...answers });
  const cwd = gameFolder(t);
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const args = ['publish', '--version', '1', '--json'];
  const { code, stdout, stderr } = await runSvc(t, args, { cwd, env });
  const uploads = platform.seen.filter(({ route }) => route === `POST /projects/${ID}/publish`);
  return {
    code,
    document: JSON.parse(stdout),
    stderr,
    uploads: uploads.length,
    seen: platform.seen,
  };
}

const PUBLISH = `POST /projects/${ID}/publish`;

test('svc publish repeats the upload if the server exits during it', async (t) => {
  const { code, document, uploads, stderr } = await publish(t, {
    [PUBLISH]: [dieMidUpload, error(503, 'shutting_down', 'Closing'), PUBLISHED],
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual([document.published, document.already_published, uploads], [true, false, 3]);
});

test('svc publish finds its release after a lost response, and reports it', async (t) => {
  const cwd = gameFolder(t);
  const verdict = await checkBuild(join(cwd, 'dist'));
  const digest = verdict.accepted ? verdict.build.digest : '';
  const { code, document, stderr } = await publish(t, {
    [PUBLISH]: [loseAnswer, error(409, 'version_exists', 'Used')],
    [`GET /projects/${ID}/releases`]: json(200, { releases: [release(digest)], next_cursor: null }),
    [`GET /projects/${ID}`]: [
      COMMON[`GET /projects/${ID}`] ?? error(500, 'internal', ''),
      withOwnUrl(200, (url) => ({ game: game(url), page: {}, live_release: release(digest) })),
    ],
  });
  assert.equal(code, 0, stderr);
  assert.equal(document.already_published, true);
});

test('svc publish exits with the error if the game cannot be put online again', async (t) => {
  const cwd = gameFolder(t);
  const verdict = await checkBuild(join(cwd, 'dist'));
  const digest = verdict.accepted ? verdict.build.digest : '';
  const draft = (url: string) => ({ ...game(url), status: 'draft', play_url: null });
  const { code, document, uploads } = await publish(t, {
    [`GET /projects/${ID}`]: withOwnUrl(200, (url) => ({
      game: draft(url),
      page: {},
      live_release: release(digest),
    })),
    [`POST /projects/${ID}/rollback`]: error(403, 'scope_missing', 'The token lacks the scope'),
  });
  assert.deepEqual([code, document.error.code, uploads], [4, 'scope_missing', 0]);
});

test('svc publish waits for its own earlier attempt whose response was lost', async (t) => {
  const { code, uploads, stderr } = await publish(t, {
    [PUBLISH]: [loseAnswer, error(409, 'publish_in_progress', 'Another publish runs'), PUBLISHED],
  });
  assert.equal(code, 0, stderr);
  assert.equal(uploads, 3);
});

test('svc publish exits with the code of the error, and sends nothing twice', async (t) => {
  const cases: [Answer, number, string][] = [
    [error(409, 'publish_in_progress', 'Another publish runs'), 6, 'publish_in_progress'],
    [error(413, 'quota_exceeded', 'No room'), 8, 'quota_exceeded'],
    [error(400, 'zip_crc_mismatch', 'Wrong'), 7, 'zip_crc_mismatch'],
    [error(403, 'project_not_in_token', 'Not yours'), 4, 'project_not_in_token'],
    [error(507, 'storage_full', 'No room'), 11, 'storage_full'],
    [error(401, 'token_revoked', 'Revoked'), 3, 'token_revoked'],
  ];
  for (const [answer, exitCode, expected] of cases) {
    const { code, document, uploads } = await publish(t, { [PUBLISH]: answer });
    assert.deepEqual([code, document.error.code, uploads], [exitCode, expected, 1]);
  }
});

test('svc publish exits with 9 and the reasons if the game does not start, and sends no token to the game', async (t) => {
  const plain: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('hello');
  };
  const { code, document, stderr, seen } = await publish(t, {
    [PUBLISH]: PUBLISHED,
    'GET /play/cats/': plain,
    'GET /play/cats/a.wasm': plain,
  });
  assert.equal(code, 9);
  assert.deepEqual([document.published, document.error.code], [true, 'game_does_not_start']);
  const reported = document.error.details
    .map(({ message }: { message: string }) => message)
    .join('\n');
  for (const reason of [
    /Content-Type is text\/plain/,
    /not the index\.html of this build/,
    /Cross-Origin-Opener-Policy/,
    /not WebAssembly/,
  ]) {
    assert.match(reported, reason);
  }
  assert.match(stderr, /svc rollback/);
  const played = seen.filter(({ route }) => route.includes('/play/'));
  assert.ok(played.length >= 2 && played.every(({ authorization }) => authorization === undefined));
});

test('svc publish exits with 0 and a warning if this machine cannot reach the game', async (t) => {
  const port = await closedPort();
  const away = `http://127.0.0.1:${port}`;
  const { code, document, stderr } = await publish(t, {
    [PUBLISH]: withOwnUrl(201, (url) => ({
      game: { ...game(url), play_url: `${away}/play/cats/` },
      url: `${url}/games/cats`,
      release: release('sha256:0'),
      diff: { new: ['index.html'], changed: [], same: [], gone: [] },
      findings: [],
    })),
  });
  assert.deepEqual([code, document.published, document.error], [0, true, undefined], stderr);
  const warning = `warning: svc could not check the game from this machine: Cannot reach ${away}: the connection was refused.\n`;
  assert.equal(stderr.split(warning).length, 2, stderr);
});

test('svc publish requests the game again after a reset connection', async (t) => {
  const { code, stderr, seen } = await publish(t, {
    [PUBLISH]: PUBLISHED,
    'GET /play/cats/': [reset, GOOD_PLAY['GET /play/cats/'] ?? reset],
  });
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /could not check the game/);
  assert.equal(seen.filter(({ route }) => route === 'GET /play/cats/').length, 2);
});

test('svc publish exits with 9 if a file of the game cannot be decoded', async (t) => {
  const { code, document } = await publish(t, {
    [PUBLISH]: PUBLISHED,
    'GET /play/cats/a.wasm': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/wasm', 'content-encoding': 'gzip' });
      response.end('plain');
    },
  });
  assert.equal(code, 9);
  const [{ message }] = document.error.details;
  assert.match(message, /^its Content-Encoding is gzip, but it cannot be decoded \(/);
});

test('svc publish exits with 9 if the page is empty', async (t) => {
  const cwd = gameFolder(t);
  writeFileSync(join(cwd, 'dist/index.html'), ' \n');
  const platform = await startFaultyPlatform(t, {
    ...COMMON,
    ...GOOD_PLAY,
    [PUBLISH]: PUBLISHED,
    'GET /play/cats/': (_, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': ISOLATION,
      });
      response.end(' \n');
    },
  });
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const { code, stdout } = await runSvc(t, ['publish', '--json'], { cwd, env });
  assert.equal(code, 9);
  const { details } = JSON.parse(stdout).error;
  assert.deepEqual(
    details.map(({ message }: { message: string }) => message),
    ['the page is empty'],
  );
});

test('svc publish rejects a version that is not valid, and missing notes', async (t) => {
  const cwd = gameFolder(t);
  for (const version of ['', 'a b', '..', '1/2', 'é']) {
    const { code, stderr } = await runSvc(t, ['publish', '--version', version], { cwd });
    assert.equal(code, 2, version);
    assert.match(stderr, /A version consists of the characters/);
  }
  const { code, stderr } = await runSvc(t, ['publish', '--notes-file', 'NEWS.md'], { cwd });
  assert.equal(code, 7);
  assert.match(stderr, /^svc: Cannot read the notes: the file NEWS\.md does not exist\.\n/);
});

test('svc publish names an unknown key of svc.json once', async (t) => {
  const cwd = gameFolder(t);
  writeFileSync(join(cwd, 'svc.json'), '{"title":"x","colour":"red"}');
  const { stderr } = await runSvc(t, ['publish'], { cwd });
  assert.match(
    stderr,
    /svc\.json: it has a mistake\.\n {2}The field "colour" is unknown\. Allowed: \$schema, id, .*\.\nRun svc help init/,
  );
});

test('svc publish writes nothing into svc.json if the project cannot be created', async (t) => {
  const platform = await startFaultyPlatform(t, {
    ...COMMON,
    'GET /me': json(200, ME),
    'POST /projects': error(409, 'slug_taken', 'Taken'),
  });
  const cwd = gameFolder(t);
  const text = JSON.stringify({ title: 'Cats', slug: 'cats', build: 'dist' });
  writeFileSync(join(cwd, 'svc.json'), text);
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const { code, stdout } = await runSvc(t, ['publish', '--json'], { cwd, env });
  assert.deepEqual([code, JSON.parse(stdout).error.code], [6, 'slug_taken']);
  assert.equal(readFileSync(join(cwd, 'svc.json'), 'utf8'), text);
});

test('svc publish does not repeat a POST /projects without a response, and reports that it may have succeeded', async (t) => {
  const cwd = gameFolder(t);
  const text = JSON.stringify({ title: 'Cats', build: 'dist' });
  writeFileSync(join(cwd, 'svc.json'), text);
  for (const lostAnswer of [loseAnswer, reset]) {
    const platform = await startFaultyPlatform(t, {
      ...COMMON,
      'GET /me': json(200, ME),
      'POST /projects': lostAnswer,
    });
    const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
    const { code, stdout, stderr } = await runSvc(t, ['publish', '--json'], { cwd, env });
    const { error: failure } = JSON.parse(stdout);
    assert.deepEqual([code, failure.code], [10, 'unreachable'], stderr);
    assert.match(
      failure.hint,
      /^The request may have succeeded\. Check this before you try again\./,
    );
    assert.deepEqual(
      platform.seen.map(({ route }) => route),
      ['GET /me', 'GET /limits', 'POST /projects'],
    );
    assert.equal(readFileSync(join(cwd, 'svc.json'), 'utf8'), text);
  }
});

test('svc publish exits with 3 for a rejected token before it packs, with and without --dry-run and a project', async (t) => {
  const refused = error(401, 'token_revoked', 'The token was revoked');
  const platform = await startFaultyPlatform(t, {
    ...COMMON,
    'GET /me': refused,
    [`GET /projects/${ID}`]: refused,
  });
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  for (const [project, asked] of [
    [{ title: 'Cats', build: 'dist' }, 'GET /me'],
    [{ id: ID, title: 'Cats', build: 'dist' }, `GET /projects/${ID}`],
  ] as const) {
    const cwd = gameFolder(t);
    writeFileSync(join(cwd, 'svc.json'), JSON.stringify(project));
    for (const args of [['--dry-run'], []]) {
      platform.seen.length = 0;
      const { code, stdout } = await runSvc(t, ['publish', ...args, '--json'], { cwd, env });
      assert.deepEqual([code, JSON.parse(stdout).error?.code], [3, 'token_revoked']);
      assert.deepEqual(
        platform.seen.map(({ route }) => route),
        [asked],
      );
    }
  }
});

test('svc publish --trace exits with 7 without a request if the trace exceeds a budget', async (t) => {
  const platform = await startFaultyPlatform(t, { ...COMMON, ...GOOD_PLAY, [PUBLISH]: PUBLISHED });
  const cwd = gameFolder(t);
  const trace = [
    '{"vpt":1,"producer":{"name":"x","version":"1"},"started_at":null,"sources":["native"]}',
    '{"type":"process","t":0,"rss_bytes":5000}',
    '{"type":"end","t":1,"reason":"off"}',
  ];
  writeFileSync(join(cwd, 'run.vpt'), trace.map((line) => `${line}\n`).join(''));
  const run = (budgets?: object) => {
    const project = { id: ID, title: 'Cats', build: 'dist', ...(budgets && { budgets }) };
    writeFileSync(join(cwd, 'svc.json'), JSON.stringify(project));
    const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
    const args = ['publish', '--version', '1', '--trace', 'run.vpt', '--json'];
    return runSvc(t, args, { cwd, env });
  };
  const broken = await run({ rss_bytes: 4999 });
  assert.deepEqual([broken.code, JSON.parse(broken.stdout).error.code], [7, 'budget_broken']);
  assert.equal((await run()).code, 2);
  writeFileSync(join(cwd, 'run.vpt'), `${trace[0]}\n{"type":"mark"}\n`);
  const torn = await run({ rss_bytes: 5000 });
  assert.deepEqual([torn.code, JSON.parse(torn.stdout).error.line], [7, 2]);
  writeFileSync(join(cwd, 'run.vpt'), trace.map((line) => `${line}\n`).join(''));
  assert.deepEqual(platform.seen, []);
  const kept = await run({ rss_bytes: 5000 });
  assert.equal(kept.code, 0, kept.stderr);
});
