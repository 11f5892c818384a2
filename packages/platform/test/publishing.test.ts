import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { DryRunAnswer, ROUTES } from '@svc/contracts/platform';
import { Value } from 'typebox/value';
import { expectError, readErrorCode } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';

let platform: OpenPlatform;
let ada: Person;
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

const INDEX = '<!doctype html><title>Game</title><script src="game.js"></script>';

async function newGame(title: string): Promise<{ id: string; slug: string }> {
  const { game } = await ada.client.call('createProject', { body: { title } });
  return game;
}

async function play(slug: string, path = ''): Promise<Response> {
  return fetch(`${platform.baseUrl}/play/${slug}/${path}`);
}

/** All names below the data folder except the database. */
async function filesOnDisk(): Promise<string[]> {
  const names = await readdir(platform.dataDir, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !entry.name.startsWith('platform.sqlite'))
    .map((entry) => join(entry.parentPath, entry.name).slice(platform.dataDir.length + 1))
    .sort();
}

test('publish makes the game playable at once and returns the release', async () => {
  const { id, slug } = await newGame('First Light');
  assert.equal((await play(slug)).status, 404);
  const zip = makeZip({ 'index.html': INDEX, 'game.js': 'console.log(1)', 'a/b.png': 'x' });
  const answer = await ada.client.open('publish', {
    params: { id },
    form: publishForm('1.0.0', zip, 'First **notes**'),
  });
  assert.equal(answer.status, 201);
  const published: unknown = await answer.json();
  if (!Value.Check(ROUTES.publish.answer, published)) {
    assert.fail(JSON.stringify([...Value.Errors(ROUTES.publish.answer, published)]));
  }
  const { game, url, release, diff } = published;
  assert.equal(url, `http://127.0.0.1:8788/games/${slug}`);
  assert.equal(game.status, 'published');
  assert.equal(game.version, '1.0.0');
  assert.equal(game.play_url, `${platform.baseUrl}/play/${slug}/`);
  assert.equal(game.build_url, `${platform.baseUrl}/projects/${id}/releases/1.0.0/build`);
  assert.equal(release.notes, 'First **notes**');
  assert.equal(release.live, true);
  assert.equal(release.zip_bytes, zip.length);
  assert.equal(release.file_count, 3);
  assert.deepEqual(diff, {
    new: ['a/b.png', 'game.js', 'index.html'],
    changed: [],
    same: [],
    gone: [],
  });
  assert.equal(await (await play(slug)).text(), INDEX);
  assert.equal(await (await play(slug, 'a/b.png')).text(), 'x');
});

test('the digest is the hash over the sorted manifest', async () => {
  const { id } = await newGame('Digest');
  const files = { 'index.html': INDEX, 'b.txt': 'b', 'a.txt': 'a' };
  const { release } = await publishBuild(ada.client, id, '1', files);
  const hash = createHash('sha256');
  for (const [path, text] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${path}\0${createHash('sha256').update(text).digest('hex')}\n`);
  }
  assert.equal(release.digest, `sha256:${hash.digest('hex')}`);
});

test('a version can be used only once, even for the same bytes or after it was deleted', async () => {
  const { id } = await newGame('Once');
  await publishBuild(ada.client, id, 'v1', { 'index.html': INDEX });
  await expectError(publishBuild(ada.client, id, 'v1', { 'index.html': INDEX }), 'version_exists');
  await publishBuild(ada.client, id, 'v2', { 'index.html': INDEX });
  await ada.client.call('deleteRelease', { params: { id, version: 'v1' } });
  await expectError(publishBuild(ada.client, id, 'v1', { 'index.html': INDEX }), 'version_exists');
  const dryRun = (version: string) =>
    ada.client.call('publish', {
      params: { id },
      query: { dry_run: 'true' },
      form: publishForm(version, { 'index.html': INDEX }),
    });
  for (const version of ['v1', 'v2']) await expectError(dryRun(version), 'version_exists');
  await dryRun('v3');
  const other = await newGame('Once elsewhere');
  await publishBuild(ada.client, other.id, 'v1', { 'index.html': INDEX });
});

test('of concurrent publishes of one version, one succeeds and the others are conflicts', async () => {
  const { id } = await newGame('Race');
  const files = { 'index.html': INDEX, 'big.bin': Buffer.alloc(300_000, 7) };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => publishBuild(ada.client, id, '1.0', files)),
  );
  const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  assert.equal(won.length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    assert.equal(outcome.reason.status, 409);
    assert.match(outcome.reason.code, /^(version_exists|publish_in_progress)$/);
  }
});

test('a dry run returns the result and the diff, and stores nothing', async () => {
  const { id, slug } = await newGame('Dry');
  await publishBuild(ada.client, id, '1', { 'index.html': INDEX, 'old.js': 'old', 'same.js': 's' });
  const before = await filesOnDisk();
  const build = {
    'game/index.html': `${INDEX}!`,
    'game/same.js': 's',
    'game/new.wasm': Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]),
    'game/.DS_Store': 'x',
  };
  const answer = await ada.client.open('publish', {
    params: { id },
    query: { dry_run: 'true' },
    form: publishForm('2', build),
  });
  assert.equal(answer.status, 200);
  const verdict: unknown = await answer.json();
  if (!Value.Check(DryRunAnswer, verdict)) {
    assert.fail(JSON.stringify([...Value.Errors(DryRunAnswer, verdict)]));
  }
  assert.equal(verdict.root, 'game');
  assert.deepEqual(verdict.dropped, ['game/.DS_Store']);
  assert.deepEqual(verdict.diff, {
    new: ['new.wasm'],
    changed: ['index.html'],
    same: ['same.js'],
    gone: ['old.js'],
  });
  const wasm = verdict.files.find((file) => file.path === 'new.wasm');
  assert.deepEqual(wasm, { path: 'new.wasm', type: 'application/wasm', encoding: null, bytes: 8 });
  assert.equal(verdict.release.live, false);
  assert.deepEqual(await filesOnDisk(), before);
  assert.equal(await (await play(slug)).text(), INDEX);
  const { releases } = await ada.client.call('releases', { params: { id } });
  assert.deepEqual(
    releases.map((release) => release.version),
    ['1'],
  );
  const again = ada.client.call('publish', {
    params: { id },
    query: { dry_run: 'true' },
    form: publishForm('1', { 'index.html': INDEX }),
  });
  await expectError(again, 'version_exists');
});

test('an invalid build is rejected with its code and leaves no files', async () => {
  const { id, slug } = await newGame('Bad');
  await publishBuild(ada.client, id, '1', { 'index.html': INDEX });
  const before = await filesOnDisk();
  const good = makeZip({ 'index.html': INDEX, 'x.txt': 'x'.repeat(5000) });
  const crc = Buffer.from(good);
  const central = crc.indexOf('PK\x01\x02');
  for (const at of [14, central + 16]) crc.writeUInt32LE(123, at);
  const cases: [string, Buffer][] = [
    ['zip_malformed', Buffer.from('no zip at all')],
    ['zip_malformed', Buffer.alloc(0)],
    ['zip_malformed', good.subarray(0, good.length - 30)],
    ['zip_ambiguous', Buffer.concat([Buffer.from('#!/bin/sh\n'), good])],
    ['zip_crc_mismatch', crc],
    ['zip_path_invalid', makeZip({ 'index.html': INDEX, '../evil.js': 'x' })],
    ['zip_path_invalid', makeZip({ 'index.html': INDEX, '/etc/passwd': 'x' })],
    ['zip_path_collision', makeZip({ 'index.html': INDEX, 'A.js': '1', 'a.js': '2' })],
    ['zip_missing_index', makeZip({ 'game.js': 'x' })],
  ];
  for (const [code, zip] of cases) {
    const answer = await fetch(`${platform.baseUrl}/projects/${id}/publish`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.idToken}` },
      body: publishForm('2', zip),
    });
    const body = (await answer.json()) as {
      error: { code: string; message: string; details: { rule: string }[] };
    };
    assert.equal(body.error.code, code);
    assert.equal(answer.status, 400);
    assert.ok(body.error.details.length > 0 && body.error.details.length <= 50);
    for (const { rule } of body.error.details) assert.match(rule, /^[a-z_0-9]+$/, code);
    assert.match(body.error.message, /^Cannot publish the build: /, code);
    assert.deepEqual(await filesOnDisk(), before, code);
  }
  assert.equal(await (await play(slug)).text(), INDEX);
  await publishBuild(ada.client, id, '2', good);
});

test('publish rejects forms that do not fit the contract', async () => {
  const { id } = await newGame('Forms');
  const send = (form: FormData | string, type?: string) =>
    fetch(`${platform.baseUrl}/projects/${id}/publish`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ada.idToken}`,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      body: form,
    });
  const with_ = (change: (form: FormData) => void): FormData => {
    const form = publishForm('1', { 'index.html': INDEX });
    change(form);
    return form;
  };
  const wrong: [what: string, FormData, code: string, part: string, message: RegExp][] = [
    ['no version', with_((form) => form.delete('version')), 'invalid_input', 'version', /missing/],
    ['no build', with_((form) => form.delete('build')), 'invalid_input', 'build', /missing/],
    ['unknown part', with_((form) => form.set('extra', 'x')), 'invalid_input', 'extra', /unknown/],
    [
      'two versions',
      with_((form) => form.append('version', '2')),
      'invalid_input',
      'version',
      /once/,
    ],
    [
      'two notes',
      with_((form) => {
        form.append('notes', '2');
        form.append('notes', '3');
      }),
      'invalid_input',
      'notes',
      /once/,
    ],
    [
      'two builds',
      with_((form) => form.append('build', new Blob(['x']), 'b.zip')),
      'invalid_input',
      'build',
      /once/,
    ],
    [
      'empty version',
      with_((form) => form.set('version', '')),
      'invalid_input',
      'version',
      /version/,
    ],
    [
      'long version',
      with_((form) => form.set('version', 'x'.repeat(65))),
      'invalid_input',
      'version',
      /64/,
    ],
    [
      'longer version as a file',
      with_((form) => form.set('version', new Blob(['x'.repeat(257)]), 'v')),
      'payload_too_large',
      'version',
      /at most 64 characters/,
    ],
    [
      'bad version',
      with_((form) => form.set('version', '1 0')),
      'invalid_input',
      'version',
      /version/,
    ],
    ['dots', with_((form) => form.set('version', '..')), 'invalid_input', 'version', /version/],
    [
      'long notes',
      with_((form) => form.set('notes', 'n'.repeat(20_001))),
      'invalid_input',
      'notes',
      /20,000/,
    ],
    [
      'longer notes',
      with_((form) => form.set('notes', 'n'.repeat(80_002))),
      'payload_too_large',
      'notes',
      /at most 20,000 characters/,
    ],
    [
      'notes that are no UTF-8',
      with_((form) => form.set('notes', new Blob([Buffer.from([0xff])]), 'n')),
      'invalid_input',
      'notes',
      /UTF-8/,
    ],
    [
      'build as text',
      with_((form) => form.set('build', 'text')),
      'invalid_input',
      'build',
      /a file with a file name/,
    ],
  ];
  for (const [what, form, code, part, message] of wrong) {
    const answer = await send(form);
    const { error } = (await answer.clone().json()) as {
      error: { message: string; details: { path: string; message: string }[] };
    };
    assert.equal(await readErrorCode(answer), code, what);
    assert.match(error.message, message, what);
    assert.deepEqual(
      error.details.map(({ path }) => path),
      [part],
      what,
    );
  }
  const many = with_((form) => {
    for (let count = 0; count < 40; count++) form.append('version', '1');
  });
  assert.equal(await readErrorCode(await send(many)), 'invalid_input');
  assert.equal(await readErrorCode(await send('{}', 'application/json')), 'unsupported_media_type');
  assert.equal(await readErrorCode(await send('x', 'text/plain')), 'unsupported_media_type');
  const noBoundary = await send('x', 'multipart/form-data');
  assert.equal(await readErrorCode(noBoundary), 'invalid_input');
  const torn = await send(
    '--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n1',
    'multipart/form-data; boundary=b',
  );
  assert.equal(await readErrorCode(torn), 'invalid_input');
  const nameless = await send(
    '--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--\r\n',
    'multipart/form-data; boundary=b',
  );
  assert.equal(await readErrorCode(nameless), 'invalid_input');
  const query = await fetch(`${platform.baseUrl}/projects/${id}/publish?dry_run=maybe`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.idToken}` },
    body: with_(() => {}),
  });
  assert.equal(await readErrorCode(query), 'invalid_input');
  // The longest allowed texts, counted in characters, not bytes.
  const longest = { version: 'x'.repeat(64), notes: 'ü'.repeat(20_000) };
  const files = { 'index.html': INDEX };
  const { release } = await publishBuild(ada.client, id, longest.version, files, longest.notes);
  assert.deepEqual([release.version, release.notes], [longest.version, longest.notes]);
  await publishBuild(ada.client, id, '1', { 'index.html': INDEX });
});

test('parts may come in any order, and a text part may come as a file', async () => {
  const { id } = await newGame('Order');
  const form = new FormData();
  form.set('build', new Blob([new Uint8Array(makeZip({ 'index.html': INDEX }))]), 'b.zip');
  form.set('notes', new Blob(['späte Notizen']), 'notes.md');
  form.set('version', '1.0+a_b-c');
  const { release } = await ada.client.call('publish', { params: { id }, form });
  assert.equal(release.version, '1.0+a_b-c');
  assert.equal(release.notes, 'späte Notizen');
});

test('rollback, unpublish and publish change what players get', async () => {
  const { id, slug } = await newGame('Moves');
  const params = { id };
  await expectError(
    ada.client.call('rollback', { params, body: { version: '1' } }),
    'not_published',
  );
  for (const version of ['1', '2']) {
    await publishBuild(ada.client, id, version, { 'index.html': `v${version}` });
  }
  assert.equal(await (await play(slug)).text(), 'v2');
  await expectError(ada.client.call('rollback', { params, body: { version: '9' } }), 'not_found');
  for (let round = 0; round < 2; round++) {
    const back = await ada.client.call('rollback', { params, body: { version: '1' } });
    assert.equal(back.game.version, '1');
    assert.equal(back.release.live, true);
    assert.equal(await (await play(slug)).text(), 'v1');
  }
  for (let round = 0; round < 2; round++) {
    const { game } = await ada.client.call('unpublish', { params });
    assert.equal(game.status, 'draft');
    assert.equal(game.play_url, null);
    assert.equal(game.published_at, null);
    assert.equal((await play(slug)).status, 404);
  }
  await publishBuild(ada.client, id, '3', { 'index.html': 'v3' });
  assert.equal(await (await play(slug)).text(), 'v3');
});

test('a rollback to any stored release puts an unpublished game online again', async () => {
  const { id, slug } = await newGame('Back online');
  const params = { id };
  for (const version of ['1', '2', '3']) {
    await publishBuild(ada.client, id, version, { 'index.html': `v${version}` });
  }
  await ada.client.call('deleteRelease', { params: { id, version: '2' } });
  // The release that was live before, and one that was not.
  for (const version of ['3', '1']) {
    await ada.client.call('unpublish', { params });
    await expectError(ada.client.call('rollback', { params, body: { version: '2' } }), 'not_found');
    assert.equal((await play(slug)).status, 404);
    const { game, release } = await ada.client.call('rollback', { params, body: { version } });
    assert.deepEqual([game.status, game.version, release.live], ['published', version, true]);
    assert.equal(game.play_url, `${platform.baseUrl}/play/${slug}/`);
    assert.notEqual(game.published_at, null);
    assert.equal(await (await play(slug)).text(), `v${version}`);
    const anybody = platform.clientWith(null);
    assert.equal((await anybody.call('game', { params: { slug } })).game.version, version);
    const { games } = await anybody.call('home', { query: { limit: '1' } });
    assert.equal(games[0]?.slug, slug, 'it is the newest of the store');
    const found = await anybody.call('search', { query: { q: 'back online' } });
    assert.deepEqual(
      found.games.map((one) => one.slug),
      [slug],
    );
  }
});

test('GET releases lists newest first; the build comes back as it was uploaded', async () => {
  const { id } = await newGame('Listed');
  const zips = ['a', 'b', 'c'].map((text) => makeZip({ 'index.html': text }));
  for (const [index, zip] of zips.entries()) await publishBuild(ada.client, id, `v${index}`, zip);
  const first = await ada.client.call('releases', { params: { id }, query: { limit: '2' } });
  assert.deepEqual(
    first.releases.map((one) => [one.version, one.live]),
    [
      ['v2', true],
      ['v1', false],
    ],
  );
  const rest = await ada.client.call('releases', {
    params: { id },
    query: { limit: '2', cursor: first.next_cursor ?? '' },
  });
  assert.deepEqual(
    rest.releases.map((one) => one.version),
    ['v0'],
  );
  assert.equal(rest.next_cursor, null);
  const answer = await ada.client.open('downloadBuild', { params: { id, version: 'v1' } });
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), zips[1]);
  const address = `${platform.baseUrl}/projects/${id}/releases/v1/build`;
  const authorization = `Bearer ${ada.idToken}`;
  const head = await fetch(address, { method: 'HEAD', headers: { authorization } });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), String(zips[1]?.length));
  assert.equal((await head.arrayBuffer()).byteLength, 0);
  await expectError(
    ada.client.call('downloadBuild', { params: { id, version: 'x' } }),
    'not_found',
  );
  const bob = await platform.person('Bob');
  await expectError(
    bob.client.call('downloadBuild', { params: { id, version: 'v1' } }),
    'not_owner',
  );
});

test('deleting a release removes its own files and no other release’s', async () => {
  const { id, slug } = await newGame('Thin');
  await publishBuild(ada.client, id, '1', {
    'index.html': INDEX,
    'only-1.txt': 'one',
    'both.txt': 'both',
  });
  await publishBuild(ada.client, id, '2', { 'index.html': INDEX, 'both.txt': 'both' });
  const count = async () => (await filesOnDisk()).filter((name) => name.includes(id)).length;
  const before = await count();
  await expectError(
    ada.client.call('deleteRelease', { params: { id, version: '2' } }),
    'release_live',
  );
  const answer = await ada.client.open('deleteRelease', { params: { id, version: '1' } });
  assert.equal(answer.status, 204);
  assert.equal(await count(), before - 2);
  assert.equal(await (await play(slug, 'both.txt')).text(), 'both');
  await expectError(
    ada.client.call('rollback', { params: { id }, body: { version: '1' } }),
    'not_found',
  );
  await expectError(
    ada.client.call('deleteRelease', { params: { id, version: '1' } }),
    'not_found',
  );
});

test('of a rollback to a release and its concurrent deletion, one is rejected', async () => {
  for (let round = 0; round < 8; round++) {
    const { id, slug } = await newGame(`Torn ${round}`);
    await publishBuild(ada.client, id, '1', { 'index.html': 'one' });
    await publishBuild(ada.client, id, '2', { 'index.html': 'two' });
    const outcomes = await Promise.allSettled([
      ada.client.call('rollback', { params: { id }, body: { version: '1' } }),
      ada.client.call('deleteRelease', { params: { id, version: '1' } }),
    ]);
    const [back, deletion] = outcomes.map(({ status }) => status === 'fulfilled');
    assert.notEqual(back, deletion, `round ${round}`);
    assert.equal(await (await play(slug, '')).text(), back ? 'one' : 'two');
  }
});

test('a build that is deleted during its download is sent completely or is 404', async () => {
  const build = makeZip({ 'index.html': 'one' });
  for (let round = 0; round < 5; round++) {
    const { id } = await newGame(`Leaving ${round}`);
    await publishBuild(ada.client, id, '1', build);
    await publishBuild(ada.client, id, '2', { 'index.html': 'two' });
    const params = { id, version: '1' };
    const deletion = ada.client.open('deleteRelease', { params });
    const downloads = Array.from({ length: 8 }, () =>
      ada.client.open('downloadBuild', { params }).then(
        async (answer) => assert.ok(build.equals(Buffer.from(await answer.arrayBuffer()))),
        (error: unknown) => expectError(Promise.reject(error), 'not_found'),
      ),
    );
    await Promise.all([deletion, ...downloads]);
  }
});

test('removing a deleted project removes all its files, and its owner keeps the slug', async () => {
  const { id, slug } = await newGame('To be deleted');
  await publishBuild(ada.client, id, '1', { 'index.html': INDEX, 'a.bin': 'a' });
  assert.equal((await play(slug, 'a.bin')).status, 200);
  for (const route of ['deleteProject', 'removeDeletedGame'] as const) {
    assert.equal((await ada.client.open(route, { params: { id } })).status, 204);
  }
  assert.deepEqual(
    (await filesOnDisk()).filter((name) => name.includes(id)),
    [],
  );
  assert.equal((await play(slug, 'a.bin')).status, 404);
  await expectError(ada.client.call('project', { params: { id } }), 'not_found');
  const bob = await platform.person('Bob');
  const body = { title: 'x', slug };
  await expectError(bob.client.call('createProject', { body }), 'slug_taken');
  assert.equal((await ada.client.call('createProject', { body })).game.slug, slug);
});

test('a project that is deleted during a publish is gone, and the publish is 404', async () => {
  const build = makeZip({
    'index.html': INDEX,
    'a.js': 'a'.repeat(9000),
    'b.js': 'b'.repeat(9000),
  });
  for (let round = 0; round < 12; round++) {
    const { id } = await newGame(`Raced ${round}`);
    const published = publishBuild(ada.client, id, '1', build).then(
      () => 'done',
      (error: unknown) => error,
    );
    await setTimeout(round * 3);
    assert.equal((await ada.client.open('deleteProject', { params: { id } })).status, 204);
    const outcome = await published;
    if (outcome !== 'done') await expectError(Promise.reject(outcome), 'not_found');
    await expectError(ada.client.call('project', { params: { id } }), 'not_found');
  }
});
