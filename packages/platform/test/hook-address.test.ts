// The publish hook as a server: what it is sent, and what its answers do. `ask-address.test.ts` has more answers.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { checkBuild } from '@svc/game-build';
import { until } from '../../../scripts/until.ts';
import { expectError } from './expect-error.ts';
import { openWithSettings } from './open-hook.ts';
import type { OpenPlatform, Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { listFiles } from './publish-parts.ts';
import { spooledFiles, storedKeys } from './read-state.ts';

const SECRET = 'a secret of the test';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

let answer: Answer = () => {};
const server = createServer((request, response) => {
  // The platform may leave at any time.
  response.on('error', () => {});
  void answer(request, response);
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
  (value: unknown): Answer =>
  async (request, response) => {
    await buffer(request);
    response.end(JSON.stringify(value));
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
  answer = answerJson({ accept: false, reason: 'Too much blood.\nAnd a miner' });
  const error = await expectError(publish('2'), 'build_rejected');
  assert.match(error.message, /rejected it: Too much blood\. And a miner\. Change the build/);
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
  const log = platform.lines.splice(0).join('\n');
  assert.match(log, /the publish hook failed.*it gave no answer: .*ECONNREFUSED/);
  assert.ok(!log.includes(SECRET));
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
    [2, 1, 1],
  );
  assert.equal(value('svc_publish_phase_duration_seconds_count{phase="hook"}'), 4);
});

test('a content that is deleted while the build waits for its turn is change_interrupted', async () => {
  const newGame = async (title: string) =>
    (await ada.client.call('createProject', { body: { title } })).game.id;
  const id = await newGame('Deleted');
  const shared = { 'shared.js': '// shared '.repeat(100) };
  answer = answerJson({ accept: true });
  await publishBuild(ada.client, id, '1', { 'index.html': '1', ...shared });
  await publishBuild(ada.client, id, '2', { 'index.html': '2' });
  const held: ServerResponse[] = [];
  answer = (_, response) => held.push(response);
  const others = await Promise.all([1, 2, 3, 4].map((number) => newGame(`Other ${number}`)));
  const judging = others.map((other) => publishBuild(ada.client, other, '1', FILES));
  await until(
    () => held.length,
    (count) => count === others.length,
    'all turns are taken',
  );
  const before = (await storedKeys(platform, id)).length;
  const third = publishBuild(ada.client, id, '3', { 'index.html': '3', ...shared });
  const rejected = expectError(third, 'change_interrupted');
  await until(
    () => storedKeys(platform, id),
    (keys) => keys.length > before,
    'the third build is stored',
  );
  await ada.client.call('deleteRelease', { params: { id, version: '1' } });
  answer = answerJson({ accept: true });
  for (const response of held) response.end('{"accept":true}');
  assert.match((await rejected).message, /a release that shares files with this build was deleted/);
  assert.equal((await Promise.all(judging)).length, others.length);
});
