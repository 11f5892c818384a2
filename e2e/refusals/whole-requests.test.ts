// Inputs that are rejected without a schema: bodies that are not JSON, parts of forms, lists, and repeated parameters.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeZip, type OpenPlatform, openPlatform, type Person } from '@svc/platform/testing';
import { assertPlain } from './readable.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const FILE = new Blob(['x']);
const ZIP = new Blob([new Uint8Array(makeZip({ 'index.html': '<!doctype html>' }))]);

let platform: OpenPlatform;
let ada: Person;
let project: string;
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Moon Hop' } });
  project = `/projects/${game.id}`;
});
after(() => platform[Symbol.asyncDispose]());

type Rejection = { status: number; message: string; line?: number; column?: number };

async function send(path: string, init: RequestInit): Promise<Rejection> {
  const headers = { ...Object(init.headers), authorization: `Bearer ${ada.idToken}` };
  const answer = await fetch(platform.baseUrl + path, { ...init, headers });
  return readRejection(answer.status, await answer.json());
}

function readRejection(status: number, body: unknown): Rejection {
  const { message, line, column } = Object(Object(body).error);
  assertPlain(String(message), String(message));
  return { status, message, ...(line === undefined ? {} : { line, column }) };
}

test('platform: the error for a body that is not a JSON object names the problem and its position', async () => {
  const rows: [
    body: RequestInit,
    status: number,
    message: string | RegExp,
    at?: [number, number],
  ][] = [
    [
      { body: '{\n"title": "x",}', headers: JSON_TYPE },
      400,
      'The body is not valid JSON: there is an unexpected character at line 2, column 14',
      [2, 14],
    ],
    [
      { body: '{"title":', headers: JSON_TYPE },
      400,
      'The body is not valid JSON: it ends too early, at line 1, column 10',
      [1, 10],
    ],
    [
      { body: '', headers: JSON_TYPE },
      400,
      'The body is empty. Allowed: a JSON object with title, sent as application/json',
    ],
    [{}, 400, 'The body is empty. Allowed: a JSON object with title, sent as application/json'],
    [{ body: 'null', headers: JSON_TYPE }, 400, 'The body is null. Allowed: an object'],
    [
      { body: new Uint8Array([0x22, 0xff, 0x22]), headers: JSON_TYPE },
      400,
      'The body is not valid UTF-8. Allowed: JSON in UTF-8',
    ],
    [
      { body: '{"__proto__":{}}', headers: JSON_TYPE },
      400,
      'The body contains a reserved field: __proto__ or constructor',
    ],
    [
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      415,
      'The body has the wrong type. Send it with Content-Type: application/json',
    ],
    [
      { body: JSON.stringify({ title: 'x'.repeat(300_000) }), headers: JSON_TYPE },
      413,
      'The body is too large. Allowed: at most 262,144 bytes',
    ],
  ];
  for (const [init, status, message, at] of rows) {
    const [line, column] = at ?? [];
    assert.deepEqual(await send('/projects', { method: 'POST', ...init }), {
      status,
      message,
      ...(line === undefined ? {} : { line, column }),
    });
  }
});

test('platform: errors for parts of a form contain their names', async () => {
  type Parts = [name: string, value: string | Blob][];
  const put = async (parts: Parts): Promise<Rejection> => {
    const body = new FormData();
    for (const [name, value] of parts) {
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value, 'file');
    }
    const isPublish = parts.some(([name]) => ['version', 'build'].includes(name));
    return isPublish
      ? send(`${project}/publish?dry_run=true`, { method: 'POST', body })
      : send(`${project}/store`, { method: 'PUT', body });
  };
  const rows: [parts: Parts, message: string][] = [
    [
      [['poster', FILE]],
      'The part "poster" is unknown. Allowed: metadata, banner, cover, screenshots, trailer',
    ],
    [[['cover', 'text']], 'The part "cover" is text. Allowed: a file with a file name'],
    [
      [
        ['metadata', '{}'],
        ['metadata', '{}'],
      ],
      'The part "metadata" is sent too often. Allowed: once',
    ],
    [[['cover', FILE]], 'The part "metadata" is missing. Add the part "metadata", as JSON'],
    [
      [['metadata', '{"tags":[}']],
      'The part "metadata" is not valid JSON: there is an unexpected character at line 1, column 10',
    ],
    [
      [
        ['metadata', '{"cover":null}'],
        ['cover', FILE],
      ],
      'The cover is removed and sent at once. Allowed: either null, or the part "cover"',
    ],
    [
      [
        ['metadata', '{}'],
        ['cover', FILE],
      ],
      'The cover is not a PNG, JPEG, WebP or AVIF',
    ],
    [
      [
        ['metadata', '{}'],
        ['trailer', FILE],
      ],
      'The trailer is not an MP4 or WebM file',
    ],
    [
      [['metadata', '{"alt":{"poster":"x"}}']],
      'The alternative text of "poster" belongs to nothing on the page. Allowed: banner, cover, trailer, ids of screenshots, new:0',
    ],
    [[['build', ZIP]], 'The version is missing. Add the part "version"'],
    [[['version', '1']], 'The build is missing. Add the part "build"'],
    [
      [
        ['version', '1 2'],
        ['build', ZIP],
      ],
      'The version "1 2" is not valid. Allowed: letters (A-Z, a-z), digits, and . + _ -, such as 1.2.0',
    ],
  ];
  for (const [parts, message] of rows) assert.equal((await put(parts)).message, message);
  const whole = {
    method: 'PUT',
    body: '--x\r\nno end',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  };
  assert.match(
    (await send(`${project}/store`, whole)).message,
    /^The body is not complete multipart/,
  );
  const json = { method: 'PUT', body: '{}', headers: JSON_TYPE };
  assert.deepEqual(await send(`${project}/store`, json), {
    status: 415,
    message: 'The body has the wrong type. Send it as multipart/form-data',
  });
});

test('platform: errors for lists, slugs and projects have the same form', async () => {
  const post = (path: string, body: object) =>
    send(path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
  const rows: [answer: Promise<Rejection>, message: string][] = [
    [send('/home?limit=101', {}), 'The limit is 101. Allowed: whole numbers from 1 to 100'],
    [send('/home?limit=0', {}), 'The limit is 0. Allowed: whole numbers from 1 to 100'],
    [send('/home?cursor=x', {}), 'The cursor is not valid. Allowed: the next_cursor of an answer'],
    [
      send('/home?limt=1', {}),
      'The query parameter "limt" is unknown. Did you mean "limit"? Allowed: limit, cursor, category, tag',
    ],
    [
      post('/projects', { title: 'x', slug: 'admin' }),
      'The slug "admin" is reserved. Choose another',
    ],
    [
      post('/tokens', { name: 'ci', projects: ['a', 'b'] }),
      'Project 1 "a" is not one of yours. Allowed: ids of your projects',
    ],
  ];
  for (const [answer, message] of rows) assert.equal((await answer).message, message);
});
