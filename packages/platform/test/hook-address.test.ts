// The publish hook as a server: what it is sent, what its answers do, and invalid answers.
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { checkBuild } from '@svc/game-build';
import { expectError } from './expect-error.ts';
import { openWithSettings } from './open-hook.ts';
import type { OpenPlatform, Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { listFiles } from './publish-parts.ts';
import { spooledFiles } from './read-state.ts';

const SECRET = 'a secret of the test';
const TIMEOUT_SECONDS = 2;

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

let answer: Answer = () => {};
let asked = 0;
const server = createServer((request, response) => {
  asked++;
  // The platform may leave at any time.
  response.on('error', () => {});
  answer(request, response);
});
let platform: OpenPlatform;
let ada: Person;
let gameId = '';
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  platform = await openWithSettings({
    SVC_METRICS_PORT: '0',
    SVC_PUBLISH_HOOK: `http://127.0.0.1:${address.port}/judge?store=1`,
    SVC_PUBLISH_HOOK_SECRET: SECRET,
    SVC_PUBLISH_HOOK_TIMEOUT: String(TIMEOUT_SECONDS),
    SVC_RATE_LIMIT: 'off',
  });
  ada = await platform.person('Ada');
  gameId = (await ada.client.call('createProject', { body: { title: 'Spiel ü' } })).game.id;
});
after(async () => {
  await platform[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const FILES = { 'index.html': '<title>x</title>', 'a/b.js': '// b '.repeat(500) };
const publish = (version: string) => publishBuild(ada.client, gameId, version, FILES);

/** Reads the question, then answers with JSON. */
const answerJson =
  (value: unknown, status = 200): Answer =>
  async (request, response) => {
    await buffer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

test('the server gets the ZIP, the facts and a signature over both', async () => {
  type Question = { readonly request: IncomingMessage; readonly zip: Buffer };
  const questions: Question[] = [];
  answer = async (request, response) => {
    questions.push({ request, zip: await buffer(request) });
    response.end('{"accept":true}');
  };
  const { release, game } = await publish('1');
  assert.equal(release.live, true);
  const [question] = questions;
  assert.ok(question !== undefined && questions.length === 1);
  const { request, zip } = question;
  assert.deepEqual([request.method, request.url], ['POST', '/judge?store=1']);
  assert.equal(request.headers['content-type'], 'application/zip');
  assert.equal(request.headers['content-length'], String(zip.length));
  const facts = String(request.headers['svc-build']);
  assert.deepEqual(JSON.parse(Buffer.from(facts, 'base64url').toString()), {
    game: { id: gameId, slug: game.slug, title: 'Spiel ü' },
    owner: { id: ada.uid, name: 'Ada' },
    release: { version: '1', staged: false, files: 2, bytes: release.expanded_bytes },
  });
  const signature = String(request.headers['svc-signature']);
  const [, time = '', mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  const signed = createHmac('sha256', SECRET).update(`${time}.${facts}.`).update(zip);
  assert.equal(mac, signed.digest('hex'));
  assert.ok(Math.abs(Date.now() / 1000 - Number(time)) < 300);
  // What it gets is what players get.
  const path = join(platform.dataDir, 'asked.zip');
  writeFileSync(path, zip);
  const verdict = await checkBuild(path);
  assert.ok(verdict.accepted);
  assert.deepEqual(
    new Map(verdict.build.files.map((file) => [file.path, file.sha256])),
    new Map(listFiles(FILES).map((file) => [file.path, file.sha256])),
  );
  assert.deepEqual(await spooledFiles(platform), []);
});

test('it can reject the build, with a reason', async () => {
  answer = answerJson({ accept: false, reason: 'Too much\nblood.', more: 1 });
  const error = await expectError(publish('2'), 'build_rejected');
  assert.match(error.message, /rejected it: Too much blood\. Change the build/);
  answer = answerJson({ accept: false });
  assert.match((await expectError(publish('2'), 'build_rejected')).message, /rejected it\. Change/);
});

test('it can answer before it has read the question', async () => {
  answer = (_, response) => response.end('{"accept":false,"reason":"early"}');
  const large = { 'index.html': 'x', 'large.bin': randomBytes(8 * 1024 * 1024) };
  const publishing = publishBuild(ada.client, gameId, '2', large);
  assert.match((await expectError(publishing, 'build_rejected')).message, /early/);
});

test('any other answer fails, and publishes nothing', async () => {
  const rows: readonly (readonly [answer: Answer, cause: RegExp])[] = [
    [answerJson({}, 500), /it answered with status 500$/],
    [answerJson({ accept: true }, 201), /it answered with status 201$/],
    [
      async (request, response) => {
        await buffer(request);
        response.writeHead(307, { location: '/other' }).end();
      },
      /it answered with status 307$/,
    ],
    [answerJson({ accept: 'true' }), /its answer is neither \{"accept": true\} nor/],
    [answerJson({ accept: false, reason: 7 }), /its answer is neither/],
    [answerJson(null), /its answer is neither/],
    [answerJson('accept'), /its answer is neither/],
    [(_, response) => response.end('{"accept":true'), /its answer is neither/],
    [answerJson({ accept: true, more: 'x'.repeat(20_000) }), /its answer is larger than 16 KiB$/],
    [(request) => request.socket.destroy(), /it gave no answer: Error/],
    [
      async (request, response) => {
        await buffer(request);
        response.writeHead(200, { 'content-length': '100' }).write('{');
        request.socket.destroySoon();
      },
      /it gave no answer: Error/,
    ],
    [() => {}, /it did not answer within 2 s$/],
    [
      async (request, response) => {
        await buffer(request);
        response.writeHead(200).write('{"accept":');
      },
      /it did not answer within 2 s$/,
    ],
  ];
  for (const [wrong, cause] of rows) {
    answer = wrong;
    const before = asked;
    await expectError(publish('3'), 'hook_failed');
    assert.equal(asked, before + 1, 'it is asked once');
    const lines = platform.lines.splice(0).filter((line) => line.startsWith('internal'));
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0] ?? '', cause);
    assert.ok(!lines[0]?.includes(SECRET));
  }
  const { live_release } = await ada.client.call('project', { params: { id: gameId } });
  assert.equal(live_release?.version, '1');
  assert.deepEqual(await spooledFiles(platform), []);
});

test('a server that is down fails, and a later publish asks it again', async () => {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expectError(publish('4'), 'hook_failed');
  assert.match(platform.lines.splice(0).join('\n'), /it gave no answer: .*ECONNREFUSED/);
  server.listen(address.port, '127.0.0.1');
  await once(server, 'listening');
  answer = answerJson({ accept: true });
  assert.equal((await publish('4')).release.live, true);
});

test('the metrics count its answers and time it', async () => {
  const counted = await (await fetch(platform.running.metricsUrl ?? '')).text();
  const value = (name: string) => Number(counted.split(`${name} `)[1]?.split('\n')[0]);
  const outcome = (code: string) => `svc_publishes_total{sent="zip",outcome="${code}"}`;
  assert.deepEqual(
    ['published', 'build_rejected', 'hook_failed'].map((code) => value(outcome(code))),
    [2, 3, 14],
  );
  assert.equal(value('svc_publish_phase_duration_seconds_count{phase="hook"}'), 19);
});
