// The agent's client without an agent: what it sends, and what it makes of every kind of answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createAgentClient, parseLiveMessage } from '../src/agent.ts';

type Sent = { url: string; init: RequestInit };

function answering(...answers: (Response | Error)[]) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    sent.push({ url, init });
    const answer = answers.shift() ?? new Response(null, { status: 500 });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = createAgentClient({ origin: 'http://127.0.0.1:6767', token: 'secret', fetch });
  return { client, sent };
}

test('a call carries the token in its header and nowhere else', async () => {
  const { client, sent } = answering(Response.json({ reason: 'off', trace: null }));
  assert.deepEqual(await client.off(), { reason: 'off', trace: null });
  const [{ url, init } = assert.fail()] = sent;
  assert.deepEqual([url, init.method], ['http://127.0.0.1:6767/api/off', 'POST']);
  assert.equal(new Headers(init.headers).get('authorization'), 'Bearer secret');
});

test('a name is percent-encoded, a range asks for what is new', async () => {
  const { client, sent } = answering(
    Response.json(
      { error: { code: 'invalid_trace', message: 'no', line: 3, column: 4 } },
      { status: 400 },
    ),
    new Response('tail', { status: 206, headers: { 'svc-trace-partial': 'true' } }),
    Response.json({ error: { code: 'range_not_satisfiable', message: 'no' } }, { status: 416 }),
  );
  await assert.rejects(client.importTrace('x', 'Stufe ü'), (error) => {
    assert.ok(error instanceof AgentError);
    assert.deepEqual(
      [error.code, error.status, error.line, error.column],
      ['invalid_trace', 400, 3, 4],
    );
    return true;
  });
  const tail = await client.exportTrace(10);
  assert.deepEqual([tail?.from, tail?.partial], [10, true]);
  assert.equal(await client.exportTrace(14), null);
  assert.equal(new Headers(sent[0]?.init.headers).get('svc-trace-name'), 'Stufe%20%C3%BC');
  assert.equal(new Headers(sent[1]?.init.headers).get('range'), 'bytes=10-');
});

test('no answer, and one that is none of the agent’s, are told apart', async () => {
  const rows: [Response | Error, AgentError['code']][] = [
    [new TypeError('fetch failed'), 'unreachable'],
    [new Response('<html>', { status: 502 }), 'unreadable'],
    [Response.json({ error: { code: 'made_up', message: '' } }, { status: 400 }), 'unreadable'],
    [Response.json({ state: 'other' }), 'unreadable'],
    [new Response('no json'), 'unreadable'],
  ];
  for (const [answer, code] of rows) {
    const { client } = answering(answer);
    await assert.rejects(
      client.status(),
      (error) => error instanceof AgentError && error.code === code,
    );
  }
});

test('an aborted call rejects with its own reason', async () => {
  const abort = new AbortController();
  abort.abort(new Error('mine'));
  const { client } = answering(new TypeError('aborted'));
  await assert.rejects(client.status(abort.signal), /mine/);
});

test('parseLiveMessage: what is no status message is null', () => {
  for (const text of ['', '{}', '{"type":"status"}', '{"type":"other","status":{}}', 'null']) {
    assert.equal(parseLiveMessage(text), null, text);
  }
});
