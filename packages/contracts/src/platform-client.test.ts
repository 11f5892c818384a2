import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlatformClient, PlatformError } from './platform-client.ts';
import { PLATFORM_ERRORS } from './platform-errors.ts';
import { ROUTES } from './platform-routes.ts';

type Sent = { address: string; init: RequestInit };

function clientAnswering(answer: () => Response, sent: Sent[] = []) {
  return createPlatformClient({
    baseUrl: 'http://api.test',
    credential: () => 'svc_x',
    send: async (address, init) => {
      sent.push({ address, init });
      return answer();
    },
  });
}

test('call fills in path and query and sends the credential only where a route asks for one', async () => {
  const sent: Sent[] = [];
  const client = clientAnswering(() => Response.json({ games: [], next_cursor: null }), sent);
  await client.call('projects', { query: { limit: '3', cursor: 'a/b' } });
  await client.call('gameReleases', { params: { slug: 'a b' }, query: {} });
  assert.equal(sent[0]?.address, 'http://api.test/projects?limit=3&cursor=a%2Fb');
  assert.deepEqual(sent[0]?.init.headers, { authorization: 'Bearer svc_x' });
  assert.equal(sent[0]?.init.redirect, 'manual');
  assert.equal(sent[1]?.address, 'http://api.test/games/a%20b/releases');
  assert.deepEqual(sent[1]?.init.headers, {});
});

test('call throws the code, details and request id of an error', async () => {
  const client = clientAnswering(() =>
    Response.json(
      { error: { code: 'slug_taken', message: 'no', details: [{ message: 'd' }] } },
      { status: 409, headers: { 'x-request-id': 'r1', 'retry-after': '7' } },
    ),
  );
  await assert.rejects(client.call('createProject', { body: { title: 'T' } }), (error) => {
    assert.ok(error instanceof PlatformError);
    assert.equal(error.code, 'slug_taken');
    assert.equal(error.exit, 6);
    assert.equal(error.requestId, 'r1');
    assert.equal(error.retryAfterSeconds, 7);
    assert.deepEqual(error.details, [{ message: 'd' }]);
    return true;
  });
});

test('call throws without a code where the answer is not of this API', async () => {
  const client = clientAnswering(() => new Response('<html>', { status: 502 }));
  await assert.rejects(client.call('me', {}), (error) => {
    assert.ok(error instanceof PlatformError);
    assert.equal(error.code, null);
    assert.equal(error.exit, 11);
    return true;
  });
});

test('every code that a route names is in the table, and every status is one of the contract', () => {
  const codes = new Set(Object.values(ROUTES).flatMap((row): readonly string[] => row.errors));
  for (const code of codes) assert.ok(Object.hasOwn(PLATFORM_ERRORS, code), code);
  const statuses = new Set(Object.values(PLATFORM_ERRORS).map((row) => row.status));
  assert.deepEqual(
    [...statuses].sort((a, b) => a - b),
    [400, 401, 403, 404, 405, 408, 409, 413, 415, 416, 429, 500, 503, 507],
  );
});
