// Rows of a contract as routes: their schemas, statuses and answers, and errors from a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteFields } from '@svc/contracts/route';
import { type TSchema, Type } from 'typebox';
import { type App, addRoute, failureOf } from '../src/index.ts';
import { ask, post, serving } from './serving.ts';

const closed = (name: string, field: TSchema): TSchema =>
  Type.Object({ [name]: field }, { additionalProperties: false });

const THING: RouteFields = {
  method: 'POST',
  path: '/things/:id',
  params: closed('id', Type.String({ maxLength: 3 })),
  query: closed('dry', Type.Optional(Type.String({ maxLength: 1 }))),
  takes: 'json',
  body: closed('count', Type.Integer()),
  status: 201,
  answer: Type.Object({ made: Type.String() }),
};
const NONE = { takes: 'none', body: Type.Object({}), answer: null } as const;
const EMPTY: RouteFields = { ...NONE, method: 'GET', path: '/empty', status: 204 };
const SENT: RouteFields = { ...NONE, method: 'GET', path: '/sent', status: 200 };

function routes(app: App): void {
  addRoute(app, THING, { bodyLimit: 50 }, async ({ params }) => ({ made: Object(params).id }));
  addRoute(app, EMPTY, {}, async () => 'ignored');
  addRoute(app, SENT, { exposeHeadRoute: true }, async (_request, reply) =>
    reply.code(206).send('part'),
  );
  const body = closed('count', Type.Integer({ maximum: 1 }));
  addRoute(app, { ...THING, path: '/strict/:id' }, { schema: { body } }, async () => ({}));
}

test('addRoute registers URL, method and schemas of a row, and answers with its status', async () => {
  await serving(
    async (port) => {
      const made = await ask(port, '/things/a', post('{"count":2}'));
      assert.deepEqual([made.status, made.body], [201, { made: 'a' }]);
      const rows: [path: string, body: string, code: string][] = [
        ['/things/abcd', '{"count":2}', 'invalid_input'],
        ['/things/a?dry=12', '{"count":2}', 'invalid_input'],
        ['/things/a?wet=1', '{"count":2}', 'invalid_input'],
        ['/things/a', '{"count":"2"}', 'invalid_input'],
        ['/things/a', '', 'invalid_input'],
        ['/things/a', `{"count":2}${' '.repeat(50)}`, 'payload_too_large'],
        ['/strict/a', '{"count":2}', 'invalid_input'],
      ];
      for (const [path, body, code] of rows) {
        assert.equal((await ask(port, path, post(body))).code, code, `${path} ${body}`);
      }
      const empty = await fetch(`http://127.0.0.1:${port}/empty`);
      assert.deepEqual([empty.status, await empty.text()], [204, '']);
      const sent = await fetch(`http://127.0.0.1:${port}/sent`);
      assert.deepEqual([sent.status, await sent.text()], [206, 'part']);
      const statuses = ['/sent', '/empty'].map(
        async (path) => (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'HEAD' })).status,
      );
      assert.deepEqual(await Promise.all(statuses), [206, 405]);
    },
    { routes },
  );
});

test('failureOf creates errors of a table, and names the scheme of credentials for the status 401', () => {
  const failure = failureOf({ unauthenticated: { status: 401 }, busy: { status: 503 } });
  const parts = { line: 1, headers: { 'Retry-After': '1' } };
  const refused = failure('unauthenticated', 'Who?', parts);
  assert.deepEqual(
    [refused.name, refused.code, refused.message],
    ['ApiError', 'unauthenticated', 'Who?'],
  );
  assert.deepEqual(refused.parts, {
    line: 1,
    headers: { 'WWW-Authenticate': 'Bearer', 'Retry-After': '1' },
  });
  assert.deepEqual(failure('busy', 'Later', parts).parts, parts);
  assert.deepEqual(failure('busy', 'Later').parts, {});
});
