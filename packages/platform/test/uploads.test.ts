// The parts of an upload: which are accepted, their limits to the byte, and how long a client may pause.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { sql } from 'kysely';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { spooledFiles } from './read-state.ts';

const NOISE = randomBytes(1001);
const FULL = makeZip({ 'index.html': 'x', 'noise.bin': NOISE.subarray(0, 1000) });
const TOO_FULL = makeZip({ 'index.html': 'x', 'noise.bin': NOISE });
const SILENCE_MS = 30_000;

let platform: OpenPlatform;
let ada: Person;
let id = '';
before(async () => {
  // The limits of parts are lower: the whole body may be one MiB longer.
  platform = await openPlatform({ limits: { build_zip_bytes: FULL.length, screenshots: 40 } });
  ada = await platform.person('Ada');
  id = (await ada.client.call('createProject', { body: { title: 'Uploads' } })).game.id;
});
after(() => platform[Symbol.asyncDispose]());

/** Sends a body unchanged. */
function send(
  path: string,
  method: string,
  type: string | null,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  return fetch(`${platform.baseUrl}/projects/${id}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ada.idToken}`,
      ...(type === null ? {} : { 'content-type': type }),
    },
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  });
}

const FIELD = 'Content-Disposition: form-data; name=';
const store = (lines: string): string => `--b\r\n${lines}\r\n--b--\r\n`;

test('a build of exactly build_zip_bytes is accepted; one byte more is payload_too_large', async () => {
  assert.equal(TOO_FULL.length, FULL.length + 1);
  const { release } = await publishBuild(ada.client, id, 'full', FULL);
  assert.equal(release.zip_bytes, FULL.length);
  for (const dry_run of ['true', 'false'] as const) {
    const form = publishForm('more', TOO_FULL);
    const call = ada.client.call('publish', { params: { id }, query: { dry_run }, form });
    const { details } = await expectError(call, 'payload_too_large');
    assert.equal(details[0]?.path, 'build');
    assert.match(details[0]?.message ?? '', /at most [\d,]+ bytes$/);
  }
  assert.deepEqual(await spooledFiles(platform), []);
});

test('notes of 20,000 characters of four bytes are accepted as text and as a file; one more byte is not', async () => {
  const notes = '\u{1f600}'.repeat(20_000);
  const form = (version: string, text: string, asFile: boolean): FormData => {
    const made = publishForm(version, { 'index.html': 'x' });
    if (asFile) made.set('notes', new Blob([text]), 'notes.md');
    else made.set('notes', text);
    return made;
  };
  for (const asFile of [false, true]) {
    const publish = (text: string) =>
      ada.client.call('publish', { params: { id }, form: form(`notes-${asFile}`, text, asFile) });
    const error = await expectError(publish(`${notes}x`), 'payload_too_large');
    assert.equal(error.details[0]?.path, 'notes');
    assert.equal((await publish(notes)).release.notes, notes);
  }
});

test('an unknown part is rejected with up to 64 characters of its name, and is not stored', async () => {
  // The last one is a word in errors of the multipart reader.
  for (const name of ['constructor', '__proto__', 'Build', 'x'.repeat(90), 'header']) {
    for (const part of ['text', new Blob(['file'])]) {
      const form = publishForm('1', { 'index.html': 'x' });
      form.delete('build');
      if (typeof part === 'string') form.set(name, part);
      else form.set(name, part, 'name.bin');
      const call = ada.client.call('publish', { params: { id }, form });
      const { message, details } = await expectError(call, 'invalid_input');
      assert.deepEqual(await spooledFiles(platform), []);
      // The multipart reader itself rejects names of properties that every object has.
      if (name in {}) continue;
      assert.match(message, /is unknown\. Allowed: /);
      assert.equal(details[0]?.path, name.slice(0, 64));
    }
  }
});

test('a field may have the type JSON, and is rejected if it is not JSON', async () => {
  const type = 'multipart/form-data; boundary=b';
  const json = 'Content-Type: application/json';
  const taken = await send(
    'store',
    'PUT',
    type,
    store(`${FIELD}"metadata"\r\n${json}\r\n\r\n{"tagline":"Typed"}`),
  );
  assert.equal(taken.status, 200);
  const { page } = await ada.client.call('project', { params: { id } });
  assert.equal(page.tagline, 'Typed');
  const broken = store(`${FIELD}"metadata"\r\n${json}\r\n\r\n{"tagline":`);
  const refused = await send('store', 'PUT', type, broken);
  assert.match(await refused.clone().text(), /application\/json is not valid JSON/);
  assert.equal(await readErrorCode(refused), 'invalid_input');
});

test('the type of an upload is multipart/form-data in either case, and no similar type', async () => {
  const body = store(`${FIELD}"metadata"\r\n\r\n{}`);
  for (const type of [
    ...['multipart/form-data; boundary=b', 'Multipart/Form-Data;boundary=b'],
    ...['multipart/form-data ; boundary="b"'],
  ]) {
    assert.equal((await send('store', 'PUT', type, body)).status, 200, type);
  }
  for (const type of [
    ...['multipart/form-datas; boundary=b', 'multipart/form-data-x; boundary=b'],
    ...['multipart/mixed; boundary=b', 'x-multipart/form-data; boundary=b', null],
  ]) {
    const answer = await send('store', 'PUT', type, body);
    assert.equal(await readErrorCode(answer), 'unsupported_media_type', String(type));
  }
});

test('a form has at most 32 parts, even if each part is allowed', async () => {
  const form = new FormData();
  form.set('metadata', '{}');
  for (let count = 0; count < 32; count++) form.append('screenshots', new Blob(['x']), 'x.png');
  const call = () => ada.client.call('updateStore', { params: { id }, form });
  assert.match((await expectError(call(), 'invalid_input')).message, /at most 32/);
  const few = new FormData();
  few.set('metadata', '{}');
  few.append('screenshots', new Blob(['x']), 'x.png');
  await expectError(ada.client.call('updateStore', { params: { id }, form: few }), 'image_invalid');
});

test('a failure of the server while it reads a form is reported as internal, not as an incomplete body', async () => {
  const lines: string[] = [];
  await using broken = await openPlatform({ log: logTo((line) => lines.push(line)) });
  const { client } = await broken.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Broken' } });
  const publish = () => publishBuild(client, game.id, '1', { 'index.html': 'x' });
  const { db } = await openDatabase(broken.dataDir, broken.settings.databaseUrl);
  try {
    // The version is looked up as soon as it has arrived, before the build.
    await sql`alter table releases rename to away`.execute(db);
    await expectError(publish(), 'internal');
    await sql`alter table away rename to releases`.execute(db);
  } finally {
    await db.destroy();
  }
  const reported = lines.filter((line) => line.startsWith('internal: '));
  assert.equal(reported.length, 1, lines.join('\n'));
  assert.match(reported[0] ?? '', /releases/);
  assert.deepEqual(await spooledFiles(broken), []);
  assert.equal((await publish()).release.version, '1');
});

test('an upload that continues in time is not ended, however long it takes', async (t) => {
  await using slow = await openPlatform();
  const { client, idToken } = await slow.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Slow' } });
  const build = makeZip({ 'index.html': 'x', 'noise.bin': randomBytes(5 * 1024 * 1024) });
  const sent = new Response(publishForm('1', build));
  const bytes = Buffer.from(await sent.arrayBuffer());
  const spooled = async (): Promise<number> => {
    const [path] = await spooledFiles(slow);
    return path === undefined ? 0 : (await stat(path)).size;
  };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const outgoing = request(`${slow.baseUrl}/projects/${game.id}/publish`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${idToken}`,
      'content-type': sent.headers.get('content-type') ?? '',
      'content-length': bytes.length,
    },
  });
  t.after(() => outgoing.destroy());
  const answered = once(outgoing, 'response', { signal: AbortSignal.timeout(60_000) });
  const step = 2 * 1024 * 1024;
  for (let start = 0; start + step < bytes.length; start += step) {
    outgoing.write(bytes.subarray(start, start + step));
    // Only complete pieces of one MiB are written.
    const least = start + step / 2;
    await until(spooled, (size) => size >= least, 'the piece has come', 30_000);
    t.mock.timers.tick(SILENCE_MS - 1000);
  }
  outgoing.end(bytes.subarray(bytes.length - (bytes.length % step)));
  const [answer] = await answered;
  answer.resume();
  assert.equal(answer.statusCode, 201);
});
