// Texts for people in every call that accepts them: invisible characters are rejected with the field and the reason.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectError } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';

const HIDDEN = 'Space\u200bCats';
const REVERSED = 'gpj\u202eexe';
const HALF = 'Cats \ud83d';
const RIGHT_TO_LEFT = 'עולם 👨\u200d👩\u200d👧 عالم';

let platform: OpenPlatform;
let ada: Person;
let id = '';
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
  id = (await ada.client.call('createProject', { body: { title: 'Texts' } })).game.id;
});
after(() => platform[Symbol.asyncDispose]());

function store(metadata: object): Promise<unknown> {
  const form = new FormData();
  form.set('metadata', JSON.stringify(metadata));
  return ada.client.call('updateStore', { params: { id }, form });
}

test('every invalid text for people is rejected with its field and fault', async () => {
  const { client } = ada;
  const calls: [path: string, call: (text: string) => Promise<unknown>][] = [
    ['/title', (title) => client.call('createProject', { body: { title } })],
    ['/tagline', (tagline) => client.call('createProject', { body: { title: 'T', tagline } })],
    [
      '/description',
      (description) => client.call('createProject', { body: { title: 'T', description } }),
    ],
    ['/title', (title) => client.call('editProject', { params: { id }, body: { title } })],
    ['/tagline', (tagline) => client.call('editProject', { params: { id }, body: { tagline } })],
    ['/name', (name) => client.call('editProfile', { body: { name } })],
    ['/name', (name) => client.call('createToken', { body: { name } })],
    ['metadata/tagline', (tagline) => store({ tagline })],
    ['metadata/description', (description) => store({ description })],
    ['metadata/alt/cover', (cover) => store({ alt: { cover } })],
    ['notes', (notes) => publishBuild(client, id, '1', { 'index.html': 'x' }, notes)],
  ];
  for (const [path, call] of calls) {
    const isProse = /description|notes/.test(path);
    // FormData cannot send an unpaired surrogate.
    const texts =
      path === 'notes' ? [REVERSED] : isProse ? [REVERSED, HALF] : [HIDDEN, REVERSED, HALF];
    for (const text of texts) {
      const error = await expectError(call(text), 'invalid_input');
      assert.equal(error.details[0]?.path, path, JSON.stringify(text));
      assert.match(
        error.details[0]?.message ?? '',
        /^(?:The|An) [a-z ]+ contains .*U\+(?:200B|202E|D83D)\)/,
      );
      assert.match(error.message, /U\+(?:200B|202E|D83D)/);
    }
  }
  const { games } = await client.call('projects', { query: {} });
  assert.deepEqual(
    games.map(({ title }) => title),
    ['Texts'],
  );
});

test('an error about texts lists at most twenty faults, with paths that contain no raw name', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `${index}/\u202e${'x'.repeat(100)}`);
  const alt = Object.fromEntries(names.map((name) => [name, HIDDEN]));
  const { details } = await expectError(store({ alt }), 'invalid_input');
  assert.equal(details.length, 20);
  assert.equal(details[0]?.path, `metadata/alt/0~1${'x'.repeat(62)}`);
});

test('a control character in a line is named by its code point', async () => {
  const { client } = ada;
  const calls: [path: string, call: () => Promise<unknown>][] = [
    ['/title', () => client.call('createProject', { body: { title: 'a\u0007b' } })],
    [
      '/tagline',
      () => client.call('editProject', { params: { id }, body: { tagline: 'a\u007fb' } }),
    ],
    ['/name', () => client.call('createToken', { body: { name: 'a\nb' } })],
    ['metadata/alt/cover', () => store({ alt: { cover: 'a\u001bb' } })],
  ];
  for (const [path, call] of calls) {
    const { message, details } = await expectError(call(), 'invalid_input');
    assert.equal(details[0]?.path, path);
    assert.match(message, /contains a (?:control character|line break) \(U\+00(?:07|7F|0A|1B)\)/);
  }
  const nul = client.call('createProject', { body: { title: 'a\0b' } });
  assert.match((await expectError(nul, 'invalid_input')).message, /^The title .*is not valid/);
});

test('a title of invisible characters is empty', async () => {
  for (const title of ['\u200b', '\u3164', ' \u2800 ', '\u00a0']) {
    const error = await expectError(
      ada.client.call('createProject', { body: { title } }),
      'invalid_input',
    );
    assert.match(error.details[0]?.message ?? '', /empty|pattern/, JSON.stringify(title));
  }
});

test('right-to-left texts and emoji are stored unchanged', async () => {
  const { client } = ada;
  const body = {
    title: RIGHT_TO_LEFT,
    description: `${RIGHT_TO_LEFT}\n\u2067א\u2069 ไทย\u200bไทย`,
  };
  const { game } = await client.call('createProject', { body });
  assert.equal(game.title, RIGHT_TO_LEFT);
  const { page } = await client.call('project', { params: { id: game.id } });
  assert.equal(page.description, body.description);
  const form = publishForm('1', { 'index.html': 'x' }, RIGHT_TO_LEFT);
  const { release } = await client.call('publish', { params: { id: game.id }, form });
  assert.equal(release.notes, RIGHT_TO_LEFT);
});

test('invisible characters are removed from a name of the identity provider', async () => {
  const person = await platform.person(`Bo\u202eb\u200b ${RIGHT_TO_LEFT}`);
  const { user } = await person.client.call('me', {});
  assert.equal(user.name, `Bob ${RIGHT_TO_LEFT}`);
});
