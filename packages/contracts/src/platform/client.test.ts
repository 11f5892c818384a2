import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlatformClient, PlatformError } from './client.ts';
import { PLATFORM_ERRORS } from './errors.ts';
import { ROUTES, type RouteRow } from './routes.ts';

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

test('call fills in path and query, and sends the credential only to routes that need one', async () => {
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

test('call throws an error without a code if the answer is not from this API', async () => {
  const client = clientAnswering(() => new Response('<html>', { status: 502 }));
  await assert.rejects(client.call('me', {}), (error) => {
    assert.ok(error instanceof PlatformError);
    assert.equal(error.code, null);
    assert.equal(error.exit, 11);
    return true;
  });
});

test('call does not request a credential for a public route, and sends none if there is none', async () => {
  const sent: Sent[] = [];
  let asked = 0;
  const client = createPlatformClient({
    baseUrl: 'http://api.test',
    credential: () => {
      asked++;
      return null;
    },
    send: async (address, init) => {
      sent.push({ address, init });
      return Response.json({});
    },
  });
  await client.call('limits', {});
  assert.equal(asked, 0);
  await client.call('me', {});
  assert.equal(asked, 1);
  assert.deepEqual(
    sent.map(({ init }) => init.headers),
    [{}, {}],
  );
  const anonymous = createPlatformClient({
    baseUrl: 'http://api.test',
    send: async (_, init) => Response.json({ sent: init.headers }),
  });
  assert.deepEqual(await anonymous.call('me', {}), { sent: {} });
});

test('call sends JSON and forms as the route requires, with the caller’s headers and signal', async () => {
  const sent: Sent[] = [];
  const client = clientAnswering(() => Response.json({}), sent);
  const { signal } = new AbortController();
  const authorization = 'Bearer svc_x';
  const body = { title: 'Moon Hop', slug: null };
  await client.call('createProject', { body, signal, headers: { 'x-a': '1' } });
  const form = new FormData();
  await client.call('uploadAvatar', { form });
  const type = 'multipart/form-data; boundary=b';
  await client.call('publish', { params: { id: 'p' }, form: { type, bytes: 'bytes' } });
  const bytes = new ReadableStream();
  await client.call('publish', { params: { id: 'p' }, form: { type, bytes } });
  await client.call('unpublish', { params: { id: 'p' } });
  const inits = sent.map(({ init }) => init);
  assert.deepEqual(
    inits.map(({ method, headers, redirect }) => [method, headers, redirect]),
    [
      ['POST', { 'x-a': '1', authorization, 'content-type': 'application/json' }, 'manual'],
      ['PUT', { authorization }, 'manual'],
      ['POST', { authorization, 'content-type': type }, 'manual'],
      ['POST', { authorization, 'content-type': type }, 'manual'],
      ['POST', { authorization }, 'manual'],
    ],
  );
  assert.deepEqual(JSON.parse(String(inits[0]?.body)), body);
  assert.equal(inits[0]?.signal, signal);
  assert.equal(inits[1]?.body, form);
  assert.equal(inits[2]?.body, 'bytes');
  assert.equal(inits[3]?.body, bytes);
  // A stream is sent before its answer is read.
  assert.deepEqual(
    inits.map((init) => Reflect.get(init, 'duplex')),
    [undefined, undefined, undefined, 'half', undefined],
  );
  assert.deepEqual(
    inits.map((init) => 'signal' in init),
    [true, false, false, false, false],
  );
  assert.equal(inits[4]?.body, undefined);
});

test('call throws without a parameter of its path', async () => {
  const sent: Sent[] = [];
  const client = clientAnswering(() => Response.json({}), sent);
  for (const id of ['', undefined as unknown as string]) {
    await assert.rejects(client.call('unpublish', { params: { id } }), {
      name: 'RangeError',
      message: 'Cannot call /projects/:id/unpublish: no id',
    });
  }
  assert.equal(sent.length, 0);
  await client.call('downloadBuild', { params: { id: 'a/../b', version: '1+2' } });
  assert.equal(sent[0]?.address, 'http://api.test/projects/a%2F..%2Fb/releases/1%2B2/build');
});

test('call returns the JSON of the answer, open returns the response', async () => {
  const json = clientAnswering(() => Response.json({ games: [] }, { status: 201 }));
  assert.deepEqual(await json.call('projects', {}), { games: [] });
  assert.equal((await json.open('projects', {})).status, 201);
  const empty = clientAnswering(() => new Response(null, { status: 204 }));
  assert.equal(await empty.call('removeAvatar', {}), null);
  const torn = clientAnswering(() => new Response('{'));
  assert.equal(await torn.call('projects', {}), null);
});

test('every answer without success is an error with its details and exit code', async () => {
  const reported = (error: unknown, status = 400, headers: Record<string, string> = {}) => {
    return () => Response.json({ error }, { status, headers });
  };
  const message = 'no';
  type Reported = Pick<
    PlatformError,
    'code' | 'status' | 'message' | 'exit' | 'retryAfterSeconds' | 'requestId'
  >;
  const nothing = (status: number): string =>
    `Cannot read the answer: status ${status}, not of this API`;
  const rows: [answer: () => Response, expected: Partial<Reported>][] = [
    [reported({ code: 'not_found', message }, 404), { code: 'not_found', message, exit: 5 }],
    [reported({ code: 'internal', message }, 500), { code: 'internal', exit: 11 }],
    // For a code that this client does not know, the message is kept and the status determines the exit code.
    [reported({ code: 'made_up', message }, 418), { code: null, message, exit: 1 }],
    [reported({ code: 'toString', message }, 499), { code: null, message, exit: 1 }],
    [reported({ code: 'made_up', message }, 500), { code: null, message, exit: 11 }],
    [reported({ code: 'not_found' }, 404), { code: null, message: nothing(404), exit: 1 }],
    [reported({ message }, 404), { code: null, message: nothing(404) }],
    [reported(null, 404), { code: null, message: nothing(404) }],
    [reported('not_found', 404), { code: null, message: nothing(404) }],
    [() => Response.json(null, { status: 400 }), { code: null, message: nothing(400) }],
    [() => Response.json('x', { status: 400 }), { code: null, message: nothing(400) }],
    [() => new Response('<p>', { status: 503 }), { code: null, status: 503, exit: 11 }],
    // A redirect is not followed and is not a success.
    [() => new Response(null, { status: 302 }), { code: null, status: 302, exit: 1 }],
    [() => new Response(null, { status: 304 }), { code: null, status: 304 }],
    [
      reported({ code: 'rate_limited', message }, 429, { 'retry-after': '3' }),
      { exit: 10, retryAfterSeconds: 3, requestId: null },
    ],
    [
      reported({ code: 'busy', message }, 503, { 'retry-after': 'soon', 'x-request-id': 'r' }),
      { retryAfterSeconds: null, requestId: 'r' },
    ],
    [reported({ code: 'busy', message }, 503), { retryAfterSeconds: null }],
  ];
  for (const [answer, expected] of rows) {
    const said = JSON.stringify(expected);
    await assert.rejects(clientAnswering(answer).call('me', {}), (error) => {
      assert.ok(error instanceof PlatformError, said);
      assert.deepEqual(error.details, [], said);
      const { code, status, message: text, exit, retryAfterSeconds, requestId } = error;
      const all: Reported = { code, status, message: text, exit, retryAfterSeconds, requestId };
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(all[name as keyof Reported], value, `${name} of ${said}`);
      }
      return true;
    });
  }
  const listed = reported({ code: 'not_found', message, details: 'none' }, 404);
  await assert.rejects(clientAnswering(listed).call('me', {}), { details: [] });
});

test('every code of a route is in the table, and every status is valid', () => {
  const codes = new Set(Object.values(ROUTES).flatMap((row): readonly string[] => row.errors));
  for (const code of codes) assert.ok(Object.hasOwn(PLATFORM_ERRORS, code), code);
  const statuses = new Set(Object.values(PLATFORM_ERRORS).map((row) => row.status));
  assert.deepEqual(
    [...statuses].sort((a, b) => a - b),
    [400, 401, 403, 404, 405, 408, 409, 413, 415, 416, 429, 451, 500, 503, 507],
  );
});

test('every route below a project checks that the caller may use it', () => {
  const rows: RouteRow[] = Object.values(ROUTES);
  for (const { method, path, projects } of rows) {
    const isBelow = path.startsWith('/projects/:') || path.startsWith('/me/deleted-games/:');
    const isOfDeleted = path.startsWith('/me/deleted-games/') || path === '/projects/:id/restore';
    const expected = isOfDeleted ? 'deleted' : 'named';
    assert.equal(projects === expected, isBelow, `${method} ${path}`);
  }
});
