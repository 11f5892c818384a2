// Requests that the agent rejects for reasons other than a schema. No error contains the session token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, startTestAgent } from '@svc/agent/testing';
import { AGENT_ROUTES } from '@svc/contracts/agent';
import { assertPlain } from './readable.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

test('agent: no error contains its token', async () => {
  await using running = await startTestAgent();
  const { token } = running.agent;
  const bodies = [
    { offline: false, model: token },
    { offline: false, model: `openai/${token}`, summary_sha256: token },
    { offline: token },
    { [token]: true },
    { offline: true, [token]: 1 },
    { key: 'k', provider: token },
    { key: `${token} `, provider: `x ${token}` },
    token,
  ];
  for (const [name, { method, path }] of Object.entries(AGENT_ROUTES)) {
    if (method !== 'POST' || name === 'off') continue;
    for (const body of [...bodies.map((one) => JSON.stringify(one)), `{"a": ${token}`, token]) {
      const { text, status } = await ask(running, method, path, { headers: JSON_TYPE, body });
      assert.ok(status >= 400, `${path} ${body}: ${status}`);
      assert.ok(!text.includes(token.slice(0, 10)), `${path}: ${text}`);
    }
  }
});

test('agent: the error for an invalid body names the field and its value', async () => {
  await using running = await startTestAgent();
  const post = async (body: string) => {
    const { json } = await ask(running, 'POST', '/api/key', { headers: JSON_TYPE, body });
    const { error } = Object(json);
    assertPlain(error.message, body);
    return error;
  };
  assert.deepEqual(await post('{"key":'), {
    code: 'invalid_input',
    message: 'The body is not valid JSON: it ends too early, at line 1, column 8',
    line: 1,
    column: 8,
  });
  assert.equal(
    (await post('')).message,
    'The body is empty. Allowed: a JSON object with key, sent as application/json',
  );
  assert.equal(
    (await post('{"key":"a b"}')).message,
    'The key is not valid. Allowed: printable ASCII characters without spaces',
  );
  assert.equal(
    (await post(`{"key":"${'x'.repeat(70_000)}"}`)).message,
    'The body is too large. Allowed: at most 65,536 bytes',
  );
});
