// The agent's client without an agent: its requests, and its results for every kind of answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AGENT_LIMITS,
  type AgentClient,
  AgentError,
  type Analysis,
  type AssetReport,
  createAgentClient,
  exportTrace,
  importTrace,
  liveProtocols,
  parseLiveMessage,
  type Status,
  type TraceSummary,
} from '../src/agent.ts';

type Sent = { url: string; init: RequestInit };

function answering(...answers: (Response | Error)[]) {
  const sent: Sent[] = [];
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    sent.push({ url, init });
    const answer = answers.shift() ?? new Response(null, { status: 500 });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const baseUrl = 'http://127.0.0.1:6767';
  const client = createAgentClient({ baseUrl, send, credential: () => 'secret' });
  return { client, sent };
}

test('a call carries the token in its header and nowhere else', async () => {
  const { client, sent } = answering(Response.json({ reason: 'off', trace: null }));
  assert.deepEqual(await client.call('off', {}), { reason: 'off', trace: null });
  const [{ url, init } = assert.fail()] = sent;
  assert.deepEqual([url, init.method], ['http://127.0.0.1:6767/api/off', 'POST']);
  assert.equal(new Headers(init.headers).get('authorization'), 'Bearer secret');
});

test('a name is percent-encoded, and a range requests only new bytes', async () => {
  const { client, sent } = answering(
    Response.json(
      { error: { code: 'invalid_trace', message: 'no', line: 3, column: 4 } },
      { status: 400 },
    ),
    new Response('tail', { status: 206, headers: { 'svc-trace-partial': 'true' } }),
    Response.json({ error: { code: 'range_not_satisfiable', message: 'no' } }, { status: 416 }),
  );
  await assert.rejects(importTrace(client, 'x', 'Stufe ü'), (error) => {
    assert.ok(error instanceof AgentError);
    assert.deepEqual(
      [error.code, error.status, error.line, error.column],
      ['invalid_trace', 400, 3, 4],
    );
    return true;
  });
  const tail = await exportTrace(client, 10);
  assert.deepEqual([tail?.from, tail?.partial], [10, true]);
  assert.equal(await exportTrace(client, 14), null);
  assert.equal(new Headers(sent[0]?.init.headers).get('svc-trace-name'), 'Stufe%20%C3%BC');
  assert.equal(new Headers(sent[1]?.init.headers).get('range'), 'bytes=10-');
});

test('no answer is unreachable, and an answer that is not the agent’s is unreadable', async () => {
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
      client.call('status', {}),
      (error) => error instanceof AgentError && error.code === code,
    );
  }
});

const TRACE: TraceSummary = {
  id: '1',
  name: 'a',
  origin: 'import',
  path: null,
  sources: ['import'],
  started_at: null,
  records: 1,
  assets: 0,
  bytes: 10,
  duration_ms: null,
  partial: false,
  truncated: false,
  torn_bytes: 0,
  notes_revision: 0,
};

const can = { available: true };
const STATUS: Status = {
  state: 'inactive',
  capabilities: {
    capture: { available: false, reason: 'no --pid' },
    pss: can,
    frames: can,
    stacks: can,
    files: can,
    keyring: can,
    analysis_offline: can,
    analysis_provider: {
      available: true,
      providers: [{ id: 'openai', host: 'api.openai.com', key: 'none' }],
    },
  },
  target: { pid: 1, name: 'game', started_at: '2026-01-01T00:00:00Z' },
  trace: TRACE,
  metric: { t: 0, cpu_percent: null, rss_bytes: 0, pss_bytes: null, pss_age_ms: null },
  probes: [{ id: 'stacks', state: 'off' }],
  recovered: [],
  launched: false,
  busy_child: null,
  ended: null,
  started_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-01T08:00:00Z',
  version: '0.1.0',
  limits: { ...AGENT_LIMITS },
};

const REPORT: AssetReport = {
  assets: [],
  left_out: 0,
  totals: {
    assets: 0,
    bytes: null,
    gpu_bytes: null,
    unknown_sizes: 0,
    load_ms: null,
    decode_ms: null,
    upload_ms: null,
    main_thread_ms: null,
    hitch_ms: 0,
    cost: 0,
  },
  weights: {},
  budget_ms: 16,
};

const ANALYSIS: Analysis = {
  mode: 'offline',
  model: null,
  host: null,
  findings: [],
  text: null,
  summary_bytes: 0,
  summary_sha256: '',
};

test('each call uses its own route, with its body and signal, and returns the answer', async () => {
  const { signal } = new AbortController();
  const none = (): Response => new Response(null, { status: 204 });
  const json = 'application/json';
  const ended = { reason: 'ttl', trace: { path: '/a', bytes: 1, truncated: true } };
  const rows: [
    call: (client: AgentClient) => Promise<unknown>,
    answer: Response,
    asked: [
      method: string,
      path: string,
      body?: unknown,
      type?: string | undefined,
      signal?: boolean,
    ],
    given: unknown,
  ][] = [
    [
      (c) => c.call('status', { signal }),
      Response.json(STATUS),
      ['GET', 'status', undefined, undefined, true],
      STATUS,
    ],
    [(c) => c.call('start', {}), Response.json(STATUS), ['POST', 'start'], STATUS],
    [
      (c) => importTrace(c, 'text', undefined, signal),
      Response.json({ trace: TRACE }),
      ['POST', 'trace', 'text', undefined, true],
      TRACE,
    ],
    [
      (c) => c.call('add_notes', { body: { notes: [{ id: 1, t: 2, text: 'x' }] }, signal }),
      Response.json({ trace: TRACE }),
      ['POST', 'notes', '{"notes":[{"id":1,"t":2,"text":"x"}]}', json, true],
      { trace: TRACE },
    ],
    [
      (c) => c.call('assets', { signal }),
      Response.json(REPORT),
      ['GET', 'assets', undefined, undefined, true],
      REPORT,
    ],
    [
      (c) => c.call('analyze', { body: { offline: true }, signal }),
      Response.json(ANALYSIS),
      ['POST', 'analyze', '{"offline":true}', json, true],
      ANALYSIS,
    ],
    [
      (c) => c.call('key', { body: { key: 'k' } }),
      none(),
      ['POST', 'key', '{"key":"k"}', json],
      null,
    ],
    [(c) => c.call('key_remove', { body: {} }), none(), ['POST', 'key/remove', '{}', json], null],
    [
      (c) => c.call('key_remove', { body: { provider: 'google' } }),
      none(),
      ['POST', 'key/remove', '{"provider":"google"}', json],
      null,
    ],
    [(c) => c.call('off', {}), Response.json(ended), ['POST', 'off'], ended],
  ];
  for (const [call, answer, [method, path, body, type, signalled], given] of rows) {
    const { client, sent } = answering(answer);
    assert.deepEqual(await call(client), given, path);
    const [{ url, init } = assert.fail()] = sent;
    const headers = new Headers(init.headers);
    assert.deepEqual(
      [init.method, url, init.body, headers.get('content-type'), init.signal],
      [
        method,
        `http://127.0.0.1:6767/api/${path}`,
        body,
        type ?? null,
        signalled === true ? signal : undefined,
      ],
    );
    assert.equal(headers.get('authorization'), 'Bearer secret', path);
    assert.equal(headers.get('svc-trace-name'), null, path);
  }
});

test('a stream is sent as it is produced, and a redirect is not followed', async () => {
  const { client, sent } = answering(Response.json({ trace: TRACE }), Response.json(STATUS));
  const bytes = new ReadableStream();
  assert.deepEqual(await importTrace(client, bytes), TRACE);
  await client.call('status', {});
  const inits = sent.map(({ init }) => init);
  assert.deepEqual(
    inits.map((init) => [init.body, Reflect.get(init, 'duplex'), init.redirect]),
    [
      [bytes, 'half', 'manual'],
      [undefined, undefined, 'manual'],
    ],
  );
});

test('an export reports whether it is partial, and the offset of its bytes', async () => {
  const { signal } = new AbortController();
  const partial = (value: string) => ({ headers: { 'svc-trace-partial': value } });
  const rows: [from: number | undefined, answer: Response, expected: [boolean, number]][] = [
    [undefined, new Response('all', partial('false')), [false, 0]],
    [0, new Response('all', partial('true')), [true, 0]],
    [7, new Response('all'), [false, 0]],
    [7, new Response('rest', { status: 206, ...partial('false') }), [false, 7]],
  ];
  for (const [from, answer, expected] of rows) {
    const { client, sent } = answering(answer);
    const got = await exportTrace(client, from, signal);
    assert.deepEqual([got?.partial, got?.from], expected);
    assert.equal(got?.response, answer);
    assert.equal(got?.body, answer.body);
    assert.equal(sent[0]?.init.signal, signal);
    const range = (from ?? 0) > 0 ? `bytes=${from}-` : null;
    assert.equal(new Headers(sent[0]?.init.headers).get('range'), range);
  }
  const { client } = answering(
    Response.json({ error: { code: 'no_trace', message: 'none' } }, { status: 404 }),
  );
  await assert.rejects(exportTrace(client, 1), { code: 'no_trace', status: 404, message: 'none' });
});

test('an answer with another shape is rejected', async () => {
  for (const state of ['inactive', 'capturing', 'ended']) {
    const { client } = answering(Response.json({ ...STATUS, state }));
    assert.equal((await client.call('status', {})).state, state);
  }
  const { cpu_percent: _, ...torn } = STATUS.metric ?? assert.fail();
  for (const other of [
    { ...STATUS, state: 'paused' },
    { ...STATUS, metric: torn },
    { ...STATUS, trace: { ...TRACE, bytes: -1 } },
    { ...STATUS, target: { ...STATUS.target, pid: 0 } },
    { ...STATUS, limits: {} },
    { ...STATUS, probes: [{ id: 'stacks', state: 'sleeping' }] },
  ]) {
    const { client } = answering(Response.json(other));
    await assert.rejects(client.call('status', {}), { code: 'unreadable', status: 200 });
  }
});

test('the cause of an unreachable agent is kept with the error', async () => {
  const cause = new TypeError('fetch failed');
  const { client } = answering(cause);
  await assert.rejects(client.call('status', {}), (error) => {
    assert.ok(error instanceof AgentError);
    assert.deepEqual(
      [error.name, error.code, error.status, error.line, error.column, error.cause],
      ['AgentError', 'unreachable', null, null, null, cause],
    );
    return true;
  });
});

test('an aborted call rejects with its own reason', async () => {
  const abort = new AbortController();
  abort.abort(new Error('mine'));
  const { client } = answering(new TypeError('aborted'));
  await assert.rejects(client.call('status', { signal: abort.signal }), /mine/);
});

test('a live client offers the protocol and the token, and reads the status', () => {
  assert.deepEqual(liveProtocols('secret'), ['svc.v1', 'secret']);
  const message = { type: 'status', status: STATUS };
  assert.deepEqual(parseLiveMessage(JSON.stringify(message)), message);
  assert.equal(parseLiveMessage(JSON.stringify({ ...message, type: 'other' })), null);
  assert.equal(parseLiveMessage(JSON.stringify(message).slice(0, -1)), null);
});

test('parseLiveMessage returns null for a message that is not a status', () => {
  for (const text of ['', '{}', '{"type":"status"}', '{"type":"other","status":{}}', 'null']) {
    assert.equal(parseLiveMessage(text), null, text);
  }
});
