import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, apiIndex, apiPage, type Group, groupOf } from './api-page.ts';

const GAMES: Group = { name: 'games', title: 'Games', paths: ['/games'] };
const MEDIA: Group = { name: 'media', title: 'Media', paths: ['/games/{id}/media'] };
const GROUPS = [GAMES, MEDIA];

const error = {
  description: '`not_found`, `gone`',
  content: {
    'application/json': {
      schema: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } },
    },
  },
};
const game = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const answer = (description: string) => ({
  description,
  content: { 'application/json': { schema: { ...game, description } } },
});
const file = {
  summary: 'A file',
  responses: { 200: { description: 'The file' }, 404: error },
  security: [],
};

const API: Api = {
  info: { title: 'games API', description: 'All about <games>.' },
  security: [{ token: [] }],
  components: { securitySchemes: { token: { description: 'A secret' } } },
  paths: {
    '/games/{id}': {
      get: {
        summary: 'A game',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 9 } },
          { name: 'full', in: 'query', description: 'everything', schema: { enum: ['true'] } },
        ],
        responses: { 404: error, 200: answer('The game') },
      },
      put: {
        summary: 'Change a game',
        security: [{ session: [] }, { token: [] }],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { title: { type: 'string' } } },
            },
          },
        },
        responses: { 200: answer('Changed') },
      },
    },
    '/games/{id}/media': { get: file, head: file },
    '/games/{id}/media/{name}': {
      head: { summary: 'Whether it exists', responses: { 200: { description: 'It does' } } },
    },
  },
};

const linesOf = (page: string): string[] => page.split('\n').filter((line) => line !== '');

test('a section states credential, parameters, answers with their fields, and errors by status', () => {
  const page = linesOf(apiPage(API, GAMES, GROUPS));
  const from = page.indexOf('## GET /games/{id}');
  assert.deepEqual(page.slice(from, page.indexOf('## PUT /games/{id}')), [
    '## GET /games/{id}',
    'A game.',
    'Needs a credential: `token`.',
    '**Parameters**',
    '| parameter | in | type | meaning |',
    '| --- | --- | --- | --- |',
    '| `id` | path | string | at most 9 characters |',
    '| `full` (optional) | query | `"true"` | everything |',
    '**200**, `application/json`: The game.',
    '| field | type | meaning |',
    '| --- | --- | --- |',
    '| `id` | string |  |',
    '**Errors**',
    '| status | codes |',
    '| --- | --- |',
    '| 404 | `not_found`, `gone` |',
  ]);
});

test('a body that an earlier operation has is a link to it, and credentials are alternatives', () => {
  const page = linesOf(apiPage(API, GAMES, GROUPS));
  assert.deepEqual(page.slice(page.indexOf('## PUT /games/{id}')), [
    '## PUT /games/{id}',
    'Change a game.',
    'Needs a credential: `session` or `token`.',
    '**Body, as `application/json`**',
    '| field | type | meaning |',
    '| --- | --- | --- |',
    '| `title` (optional) | string |  |',
    '**200**, `application/json`: Changed.',
    'The same fields as the answer of [`GET /games/{id}`](#get-gamesid).',
  ]);
});

test('an answer of text has its type, bytes have none, and an error with a body of its own shows it', () => {
  const schemas = {
    text: { 'text/plain': { schema: { type: 'string' } } },
    bytes: { 'application/json': { schema: { type: 'string', format: 'binary' } } },
    own: {
      'application/json': {
        schema: { type: 'object', properties: { failing: { type: 'string' } } },
      },
    },
  };
  const responses = {
    200: { description: 'Text', content: schemas.text },
    206: { description: 'Bytes', content: schemas.bytes },
    404: error,
    503: { description: 'Not ready', content: schemas.own },
  };
  const api: Api = { ...API, paths: { '/games': { get: { responses } } } };
  const page = linesOf(apiPage(api, GAMES, GROUPS));
  assert.deepEqual(page.slice(page.indexOf('**200**, `text/plain`: Text.')), [
    '**200**, `text/plain`: Text.',
    '**206**: Bytes.',
    '**Errors**',
    '| status | codes |',
    '| --- | --- |',
    '| 404 | `not_found`, `gone` |',
    '| 503 | Not ready |',
    'The body of 503 is not the common one:',
    '| field | type | meaning |',
    '| --- | --- | --- |',
    '| `failing` (optional) | string |  |',
  ]);
});

test('a status that is no number is refused', () => {
  const api: Api = { ...API, paths: { '/games': { get: { responses: { default: error } } } } };
  assert.throws(() => apiPage(api, GAMES, GROUPS), /no place for the status default/);
});

test('HEAD is a sentence if it equals GET, and else a section', () => {
  const page = linesOf(apiPage(API, MEDIA, GROUPS));
  assert.deepEqual(
    page.filter((line) => line.startsWith('## ')),
    ['## GET /games/{id}/media', '## HEAD /games/{id}/media/{name}'],
  );
  assert.equal(page.filter((line) => line.startsWith('`HEAD` is answered')).length, 1);
  assert.ok(page.includes('Needs no credential.'));
});

test('the first page lists credentials, all operations by group, and the body of an error', () => {
  const page = linesOf(apiIndex(API, GROUPS, 'guide.md'));
  assert.equal(page[0], '# Games API: reference');
  for (const line of [
    'All about &lt;games>. [The guide](guide.md) explains how it is used.',
    '| `token` | A secret |',
    '| [`PUT /games/{id}`](games.md#put-gamesid) | Change a game |',
    '| [`GET /games/{id}/media`](media.md#get-gamesidmedia) | A file |',
    '| `error` | string |  |',
  ]) {
    assert.ok(page.includes(line), line);
  }
});

test('the longest start of a path decides about its group, in whole segments', () => {
  assert.equal(groupOf('/games/{id}', GROUPS), GAMES);
  assert.equal(groupOf('/games/{id}/media/{name}', GROUPS), MEDIA);
  assert.equal(groupOf('/games/{id}/mediator', GROUPS), GAMES);
});

test('a path without a group is refused', () => {
  assert.throws(() => groupOf('/gamesome', GROUPS), /No page of the reference contains \/gamesome/);
});
