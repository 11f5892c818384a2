// Which responses are accepted as those of a platform, and that redirects are not followed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '../network/network-error.ts';
import { platformSend } from './send.ts';

const API = 'https://api.example/v1';
const ADDRESS = `${API}/me`;

/** The result: the response, or the error. */
async function outcomeOf(
  status: number,
  headers: Record<string, string>,
  body: string | null,
): Promise<Response | NetworkError> {
  const answer = new Response(body, { status });
  // A Response with a text body sets its own content type.
  answer.headers.delete('content-type');
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  const send = platformSend({ send: async () => answer }, API);
  return await send(ADDRESS, {}).catch((error: unknown) => {
    assert.ok(error instanceof NetworkError, String(error));
    return error;
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const ERROR = '{"error":{"code":"not_found","message":"No"}}';

test('platformSend returns the responses of a platform and of a gateway with their body unread', async () => {
  const rows: [status: number, headers: Record<string, string>, body: string | null][] = [
    [200, JSON_TYPE, '{}'],
    [201, { 'content-type': 'application/json; charset=utf-8' }, '{"a":1}'],
    [200, { 'content-type': 'Application/JSON' }, '[]'],
    [200, { 'content-type': 'application/problem+json' }, '{}'],
    [204, {}, null],
    [304, {}, null],
    [400, JSON_TYPE, ERROR],
    [499, JSON_TYPE, ERROR],
    [408, { 'content-type': 'text/html' }, '<p>'],
    [413, { 'content-type': 'text/html' }, '<p>'],
    [429, {}, 'later'],
    [500, {}, ''],
    [599, { 'content-type': 'text/html' }, '<p>'],
  ];
  for (const [status, headers, body] of rows) {
    const answer = await outcomeOf(status, headers, body);
    assert.ok(answer instanceof Response, `${status} ${String(answer)}`);
    assert.equal(answer.status, status);
    assert.equal(await answer.text(), body ?? '');
  }
});

test('platformSend rejects a response that is not from a platform, and describes it', async () => {
  const other = 'JSON in another form';
  const rows: [status: number, type: string, body: string, reported: string][] = [
    [200, 'application/json', '{"a":', 'broken JSON'],
    [200, 'application/json', 'null', 'broken JSON'],
    [404, 'application/json', '{"a":', 'broken JSON'],
    [200, 'text/html; charset=utf-8', '{}', 'a web page'],
    [200, 'application/xhtml+xml', '{}', 'a web page'],
    [404, 'text/html', '<p>', 'a web page'],
    [200, 'text/plain', '{}', 'text/plain'],
    [200, 'application/jsonp', '{}', 'application/jsonp'],
    [200, 'text/application/json', '{}', 'text/application/json'],
    [200, '', '{}', 'content of an unknown type'],
    [407, 'text/html', '<p>', 'a web page'],
    [499, 'text/html', '<p>', 'a web page'],
    [404, 'application/json', '{}', other],
    [404, 'application/json', '"text"', other],
    [404, 'application/json', '{"error":null}', other],
    [404, 'application/json', '{"error":"text"}', other],
    [404, 'application/json', '{"error":{}}', other],
    [404, 'application/json', '{"error":{"code":"x"}}', other],
    [404, 'application/json', '{"error":{"message":"x"}}', other],
    [404, 'application/json', '{"error":{"code":1,"message":"x"}}', other],
    [404, 'application/json', '{"error":{"code":"x","message":1}}', other],
  ];
  for (const [status, type, body, reported] of rows) {
    const what = `${status} ${type} ${body}`;
    const error = await outcomeOf(status, type === '' ? {} : { 'content-type': type }, body);
    assert.ok(error instanceof NetworkError, what);
    assert.equal(
      error.message,
      `${API} is not the address of a publishing platform: it answered with ${reported} (${status}).`,
      what,
    );
    const { code, exitCode, sent, transient } = error;
    assert.deepEqual([code, exitCode, sent, transient], ['answer_unreadable', 11, true, false]);
    assert.match(error.hint, /--api, SVC_API or the saved login/);
  }
});

test('platformSend does not follow a redirect, and names the origin of its target', async () => {
  const rows: [status: number, location: string | null, elsewhere: string][] = [
    [300, 'https://other.example/me?a=secret', ' to https://other.example'],
    [301, 'http://api.example/v1/me', ' to http://api.example'],
    [302, '/login', ' to https://api.example'],
    [303, null, ''],
    [307, 'https://', ''],
    [308, '//other.example', ' to https://other.example'],
    [399, null, ''],
  ];
  for (const [status, location, elsewhere] of rows) {
    const headers = { ...JSON_TYPE, ...(location === null ? {} : { location }) };
    const error = await outcomeOf(status, headers, '{}');
    assert.ok(error instanceof NetworkError, String(status));
    assert.equal(
      error.message,
      `Cannot use https://api.example: it redirects${elsewhere}. svc does not send your token there.`,
    );
    const { code, exitCode, sent, transient } = error;
    assert.deepEqual([code, exitCode, sent, transient], ['redirected', 11, false, false]);
  }
});
