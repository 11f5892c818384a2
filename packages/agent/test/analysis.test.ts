// POST /api/analyze with a local provider that answers correctly, incorrectly, too much, with a
// redirect or never.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, createServer as createNetServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AGENT_ROUTES, ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import { analyzeTrace, modelOf, summarizeTrace } from '@svc/trace';
import { Check } from 'typebox/value';
import { completion, fakeProvider } from './fake-provider.ts';
import {
  ask,
  field,
  startTestAgent,
  type TestAgent,
  temporaryFolder,
  until,
  vptOf,
  within,
} from './harness.ts';

const KEY = 'sk-test-0123456789abcdef';
const JSON_TYPE = { 'content-type': 'application/json' };

function analyze(running: TestAgent, body: unknown) {
  return ask(running, 'POST', '/api/analyze', { body: JSON.stringify(body), headers: JSON_TYPE });
}

const HITCHING = vptOf(
  {
    type: 'frames',
    t: 0,
    duration_ms: Array.from({ length: 300 }, (_, i) => (i % 30 === 0 ? 120 : 16)),
  },
  { type: 'end', t: 9_000, reason: 'done' },
);

test('offline: the findings of the rules, the same each time, and a digest of the summary', async () => {
  await using running = await startTestAgent();
  assert.equal((await analyze(running, { offline: true })).code, 'no_trace');
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  const [one, two] = [
    await analyze(running, { offline: true }),
    await analyze(running, { offline: true }),
  ];
  assert.ok(Check(AGENT_ROUTES.analyze.answer, one.json), one.text);
  assert.equal(one.text, two.text);
  const { mode, model, host, text, findings, summary_bytes, summary_sha256 } = one.json;
  assert.deepEqual([mode, model, host, text], ['offline', null, null, null]);
  assert.ok(findings.length > 0);
  const summary = summarizeTrace(modelOf(HITCHING)).text;
  assert.equal(summary_sha256, createHash('sha256').update(summary).digest('hex'));
  assert.equal(summary_bytes, Buffer.byteLength(summary));
  assert.ok(summary_bytes <= 24_000);
});

test('budget_ms applies to findings and summary, and must be over 0 and at most a minute', async () => {
  await using running = await startTestAgent();
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  const model = modelOf(HITCHING);
  for (const budget_ms of [0.5, 8, 60_000]) {
    const { json, text } = await analyze(running, { offline: true, budget_ms });
    assert.ok(Check(AGENT_ROUTES.analyze.answer, json), text);
    assert.deepEqual(json.findings, analyzeTrace(model, { budget_ms }));
    const summary = summarizeTrace(model, { budget_ms }).text;
    assert.equal(json.summary_sha256, createHash('sha256').update(summary).digest('hex'));
  }
  const plain = await analyze(running, { offline: true });
  assert.deepEqual(field(plain.json, 'findings'), analyzeTrace(model));
  assert.notDeepEqual(analyzeTrace(model), analyzeTrace(model, { budget_ms: 60_000 }));
  for (const budget_ms of [0, -1, 60_001, '8', null]) {
    const { code } = await analyze(running, { offline: true, budget_ms });
    assert.equal(code, 'invalid_input', String(budget_ms));
  }
});

test('a provider receives the summary byte for byte, the instruction and the key, and nothing else', async () => {
  await using provider = await fakeProvider((response) =>
    response.end(completion('Load it earlier.')),
  );
  await using running = await startTestAgent({
    providerUrl: provider.url,
    env: { SVC_PROVIDER_KEY: KEY, SECRET: 'of the environment' },
  });
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  const offline = await analyze(running, { offline: true });
  assert.equal(provider.received.length, 0, 'offline sends nothing');
  const summary_sha256 = String(field(offline.json, 'summary_sha256'));
  const wrong = await analyze(running, {
    offline: false,
    model: 'custom/m',
    summary_sha256: '0'.repeat(64),
  });
  assert.equal(wrong.code, 'summary_changed');
  assert.equal(provider.received.length, 0, 'nothing was sent');
  for (const model of ['custom/vendor/model-1', 'model-1']) {
    const answer = await analyze(running, { offline: false, model, summary_sha256 });
    assert.ok(Check(AGENT_ROUTES.analyze.answer, answer.json), answer.text);
    assert.equal(answer.json.text, 'Load it earlier.');
    assert.equal(answer.json.host, new URL(provider.url).host);
    assert.equal(answer.json.mode, 'provider');
    assert.equal(answer.json.model, model.startsWith('custom/') ? model : `custom/${model}`);
    assert.equal(answer.json.summary_sha256, summary_sha256);
  }
  const [sent] = provider.received;
  const summary = summarizeTrace(modelOf(HITCHING)).text;
  assert.equal(sent?.path, '/v1/chat/completions');
  assert.deepEqual(JSON.parse(sent?.body ?? ''), {
    model: 'vendor/model-1',
    messages: [
      { role: 'system', content: ANALYSIS_INSTRUCTION },
      { role: 'user', content: summary },
    ],
    stream: false,
  });
  const {
    authorization,
    host: _,
    connection: __,
    'content-length': ___,
    ...rest
  } = sent?.headers ?? {};
  assert.equal(authorization, `Bearer ${KEY}`);
  assert.deepEqual(rest, {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': 'svc',
  });
});

test('a failing provider is reported with its own code, and never with the key', async () => {
  const unknown = /custom: its answer has an unknown format"/;
  const cut = /custom: the connection to 127\.0\.0\.1:\d+ failed"/;
  const large = /it is larger than 262144 bytes"/;
  const rows: [string, RegExp, (response: ServerResponse) => void][] = [
    ['provider_error', unknown, (response) => response.end('<html>')],
    ['provider_error', unknown, (response) => response.end('{}')],
    ['provider_error', unknown, (response) => response.writeHead(204).end()],
    ['provider_error', unknown, (response) => response.writeHead(205).end()],
    ['provider_error', /answered with a redirect/, (response) => response.writeHead(304).end()],
    [
      'provider_error',
      /custom: it answered 401: Incorrect API key: \[key\], \[key\]"/,
      (response) =>
        response
          .writeHead(401)
          .end(JSON.stringify({ error: { message: `Incorrect API key: ${KEY}, Bearer ${KEY}` } })),
    ],
    ['provider_error', /custom: it answered 500"/, (response) => response.writeHead(500).end('x')],
    ['provider_error', cut, (response) => response.destroy()],
    [
      'provider_error',
      cut,
      (response) => {
        response.write('{"choices":[');
        setTimeout(() => response.destroy(), 50);
      },
    ],
    [
      'provider_response_too_large',
      large,
      (response) => response.end(completion('x'.repeat(300_000))),
    ],
    [
      'provider_response_too_large',
      large,
      (response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(30_000_000))),
    ],
    [
      'provider_response_too_large',
      large,
      (response) => {
        const timer = setInterval(() => response.write(' '.repeat(50_000)), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ];
  let next = 0;
  await using provider = await fakeProvider((response) => rows[next]?.[2](response));
  await using running = await startTestAgent({
    providerUrl: provider.url,
    env: { SVC_PROVIDER_KEY: KEY },
  });
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  for (const [i, [code, message]] of rows.entries()) {
    next = i;
    const answer = await analyze(running, { offline: false, model: 'custom/m' });
    assert.equal(answer.code, code, `row ${i}: ${answer.text}`);
    assert.match(answer.text, message, `row ${i}`);
    assert.ok(!answer.text.includes(KEY));
  }
  assert.equal(provider.received.length, rows.length, 'nothing was asked twice');
});

test('a redirect of a provider is refused, and its target receives no request', async () => {
  await using elsewhere = await fakeProvider((response) => response.end(completion('followed')));
  const statuses = [300, 301, 302, 303, 307, 308];
  let status = 0;
  await using provider = await fakeProvider((response) =>
    response.writeHead(status, { location: elsewhere.url }).end(completion('of the redirect')),
  );
  await using running = await startTestAgent({
    providerUrl: provider.url,
    env: { SVC_PROVIDER_KEY: KEY },
  });
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  for (status of statuses) {
    const answer = await analyze(running, { offline: false, model: 'custom/m' });
    assert.equal(answer.code, 'provider_error', `${status}: ${answer.text}`);
    assert.match(answer.text, /it answered with a redirect, which svc does not follow/);
  }
  assert.equal(elsewhere.received.length, 0, 'nothing was sent where the redirect leads');
  assert.equal(provider.received.length, statuses.length);
});

test('one analysis at a time; a client that disconnects cancels it and frees the slot', async () => {
  let gone = 0;
  await using provider = await fakeProvider((response) => response.on('close', () => gone++));
  await using running = await startTestAgent({
    providerUrl: provider.url,
    env: { SVC_PROVIDER_KEY: KEY },
  });
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  const socket = connect(running.port, '127.0.0.1');
  const body = JSON.stringify({ offline: false, model: 'custom/m' });
  socket.write(
    `POST /api/analyze HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${running.agent.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(
    () => provider.received.length,
    (count) => count === 1,
  );
  assert.equal((await analyze(running, { offline: true })).code, 'work_in_progress');
  assert.equal(
    (await ask(running, 'POST', '/api/trace', { body: HITCHING })).code,
    'work_in_progress',
  );
  socket.destroy();
  await until(
    () => gone,
    (count) => count === 1,
    'the question to be withdrawn',
  );
  await until(
    () => analyze(running, { offline: true }),
    ({ status }) => status === 200,
  );
});

test('a client that disconnects while the keyring does not answer frees the slot', async () => {
  using folder = temporaryFolder();
  const address = join(folder.path, 'bus');
  await using running = await startTestAgent({
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${address}` },
  });
  await using _ = await silentBus(address);
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  const socket = connect(running.port, '127.0.0.1');
  const body = JSON.stringify({ offline: false, model: 'openai/m' });
  socket.write(
    `POST /api/analyze HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${running.agent.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const offline = () => analyze(running, { offline: true });
  await until(offline, ({ code }) => code === 'work_in_progress');
  socket.destroy();
  // Less than the 15 s that a keyring may take.
  await until(offline, ({ status }) => status === 200, 'the slot to be free', 10_000);
});

test('at the end of the session, a request that waits for the keyring receives an error', async () => {
  using folder = temporaryFolder();
  const address = join(folder.path, 'bus');
  await using running = await startTestAgent({
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${address}` },
  });
  await using _ = await silentBus(address);
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  const waiting = analyze(running, { offline: false, model: 'openai/m' });
  await until(
    () => analyze(running, { offline: true }),
    ({ code }) => code === 'work_in_progress',
  );
  running.agent.end('off');
  const { code, text } = await waiting;
  assert.equal(code, 'provider_key_missing');
  assert.match(text, /The keyring was abandoned before it answered/);
});

/** Listens like a session bus, and answers nothing. */
async function silentBus(path: string): Promise<AsyncDisposable> {
  const sockets: Socket[] = [];
  const server = createNetServer((socket) => {
    sockets.push(socket.on('error', () => {}).resume());
  });
  server.listen(path);
  await within(once(server, 'listening'), 'the bus to listen');
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await within(once(server, 'close'), 'the bus to close');
    },
  };
}

test('a missing or unknown model or key is reported before anything is sent', async () => {
  await using running = await startTestAgent({
    env: { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: '  ' },
  });
  await ask(running, 'POST', '/api/trace', { body: HITCHING });
  const rows: [unknown, string][] = [
    [{}, 'invalid_input'],
    [{ offline: 'yes' }, 'invalid_input'],
    [{ offline: true, model: 'x' }, 'invalid_input'],
    [{ offline: false }, 'invalid_input'],
    [{ offline: false, model: 'nobody/x' }, 'invalid_input'],
    [{ offline: false, model: 'openai/' }, 'invalid_input'],
    [{ offline: false, model: 'openai/x' }, 'provider_key_missing'],
    [{ offline: false, model: 'custom/x' }, 'invalid_input'],
  ];
  for (const [body, code] of rows) {
    assert.equal((await analyze(running, body)).code, code, JSON.stringify(body));
  }
  const reasons: [unknown, RegExp][] = [
    [{ offline: false }, /The model is missing\. Add the field \\"model\\"/],
    [{ offline: false, model: '' }, /The model is empty\. Allowed: 1 to 256 characters/],
    [{ offline: false, model: 5 }, /The model is 5\. Allowed: text/],
    [{ offline: true, model: 'x' }, /The field \\"model\\" is not allowed in this combination/],
    [{ offline: 1 }, /offline\\" is 1\. Allowed: true, false/],
  ];
  for (const [body, reason] of reasons) {
    assert.match((await analyze(running, body)).text, reason, JSON.stringify(body));
  }
  const { json } = await ask(running, 'GET', '/api/status');
  const providers = field(json, 'capabilities', 'analysis_provider', 'providers');
  assert.deepEqual(providers, [
    { id: 'openai', host: 'api.openai.com', key: 'none' },
    { id: 'anthropic', host: 'api.anthropic.com', key: 'env' },
    { id: 'google', host: 'generativelanguage.googleapis.com', key: 'none' },
    { id: 'openrouter', host: 'openrouter.ai', key: 'none' },
    { id: 'ollama', host: '127.0.0.1:11434', key: 'not_needed' },
  ]);
  assert.ok(!JSON.stringify(json).includes(KEY));
});

test('capabilities.analysis_provider is available if a model can be asked at once, and has a reason otherwise', async () => {
  const rows: [Parameters<typeof startTestAgent>[0], boolean][] = [
    [{}, false],
    [{ env: { OPENAI_API_KEY: KEY } }, true],
    [{ providerUrl: 'http://127.0.0.1:1/v1' }, true],
    [{ providerUrl: 'https://models.example/v1' }, false],
  ];
  for (const [options, available] of rows) {
    await using running = await startTestAgent(options);
    const { json } = await ask(running, 'GET', '/api/status');
    const capability = field(json, 'capabilities', 'analysis_provider');
    assert.equal(field(capability, 'available'), available, JSON.stringify(options));
    const reason = available ? undefined : 'string';
    assert.equal(typeof field(capability, 'reason'), reason ?? 'undefined');
  }
});

test('the JSON routes answer invalid requests with 415, 413 and 400, and a missing keyring with its code', async () => {
  await using running = await startTestAgent();
  for (const [path, body] of Object.entries({
    analyze: '{"offline":true}',
    key: '{"key":"k"}',
    'key/remove': '{}',
  })) {
    const post = (more: object) => ask(running, 'POST', `/api/${path}`, more);
    assert.equal((await post({ body: '{"more":1}', headers: JSON_TYPE })).code, 'invalid_input');
    assert.equal((await post({ body: '{', headers: JSON_TYPE })).code, 'invalid_input');
    assert.equal(
      (await post({ body, headers: { 'content-type': 'text/plain' } })).code,
      'unsupported_media_type',
    );
    assert.equal((await post({ body })).code, 'unsupported_media_type');
    const large = { body: JSON.stringify({ x: 'x'.repeat(70_000) }), headers: JSON_TYPE };
    assert.equal((await post(large)).code, 'payload_too_large');
    if (path !== 'analyze')
      assert.equal((await post({ body, headers: JSON_TYPE })).code, 'keyring_unavailable');
  }
  assert.equal(
    (await ask(running, 'POST', '/api/key/remove')).code,
    'keyring_unavailable',
    'a body may be left out',
  );
  const unknown = { body: '{"key":"k","provider":"nobody"}', headers: JSON_TYPE };
  assert.equal((await ask(running, 'POST', '/api/key', unknown)).code, 'invalid_input');
  const odd = await ask(running, 'POST', '/api/key', {
    body: '{"key":"sk- secret"}',
    headers: JSON_TYPE,
  });
  assert.equal(odd.code, 'invalid_input');
  assert.doesNotMatch(odd.text, /secret/, 'a key is never echoed');
});
