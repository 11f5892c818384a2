// POST and GET /api/trace, GET /api/assets: import, export byte for byte, and report.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { AGENT_ROUTES, exportTrace } from '@svc/contracts/agent';
import { Check } from 'typebox/value';
import { StartError, startAgent } from '../src/index.ts';
import {
  agentOptions,
  ask,
  askRaw,
  assertNothingOpen,
  clientOf,
  field,
  startTarget,
  startTestAgent,
  type TestAgent,
  temporaryFolder,
  tryToStart,
  until,
  vptOf,
  within,
} from './harness.ts';

const MARK = { type: 'mark', t: 5, name: 'here' };

test('an import is retained byte for byte, whatever its content type, and summarized', async () => {
  await using running = await startTestAgent();
  assert.equal((await ask(running, 'GET', '/api/trace')).code, 'no_trace');
  const text = `${vptOf(MARK, { type: 'later', t: 9.5, x: 'ü' }, { type: 'end', t: 12, reason: 'done' })}`;
  const types = [undefined, 'text/plain', 'application/json', 'nonsense', 'multipart/form-data'];
  for (const type of types) {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const answer = await ask(running, 'POST', '/api/trace', { body: text, headers });
    assert.ok(Check(AGENT_ROUTES.import_trace.answer, answer.json), `${type}: ${answer.text}`);
    const { id, ...summary } = answer.json.trace;
    assert.match(id, /./);
    assert.deepEqual(summary, {
      name: 'imported',
      origin: 'import',
      path: null,
      sources: ['browser'],
      started_at: null,
      records: 3,
      assets: 0,
      bytes: Buffer.byteLength(text),
      duration_ms: 12,
      partial: false,
      truncated: false,
      torn_bytes: 0,
      notes_revision: 0,
    });
  }
  const exported = await ask(running, 'GET', '/api/trace');
  assert.equal(exported.text, text);
  assert.equal(exported.headers['content-type'], 'text/plain; charset=utf-8');
  assert.match(
    String(exported.headers['content-disposition']),
    /^attachment; filename="imported\.vpt"/,
  );
  assert.equal(exported.headers['svc-trace-partial'], 'false');
  assert.equal(field((await ask(running, 'GET', '/api/status')).json, 'trace', 'records'), 3);
  assert.deepEqual(readdirSync(running.dataDir), ['traces'], 'the spool has no name');
});

test('an opened file and each import have their own id, which the answer and the status report', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'opened.vpt');
  writeFileSync(file, vptOf(MARK));
  await using running = await startTestAgent({ file });
  const current = async (): Promise<unknown> =>
    field((await ask(running, 'GET', '/api/status')).json, 'trace', 'id');
  const ids = [await current()];
  assert.equal(await current(), ids[0]);
  for (let times = 0; times < 2; times++) {
    const { json } = await ask(running, 'POST', '/api/trace', { body: vptOf(MARK) });
    ids.push(field(json, 'trace', 'id'));
    assert.equal(await current(), ids.at(-1));
  }
  assert.equal((await ask(running, 'POST', '/api/trace', { body: 'no trace' })).status, 400);
  assert.equal(await current(), ids[2], 'a refused import changes nothing');
  assert.equal(new Set(ids).size, 3);
});

test('svc-trace-name names an import, without folders and control characters', async () => {
  await using running = await startTestAgent();
  const rows: [string, string][] = [
    ['level-2.vpt', 'level-2.vpt'],
    [encodeURIComponent('Stufe ü "1"'), 'Stufe ü "1"'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\games\\a.vpt', 'a.vpt'],
    ['50%', '50%'],
    ['%0d%0aX-Evil: 1', 'X-Evil: 1'],
    ['%00', 'imported'],
    ['  ', 'imported'],
    ['x'.repeat(500), 'x'.repeat(200)],
  ];
  for (const [sent, name] of rows) {
    const headers = { 'svc-trace-name': sent };
    const { json } = await ask(running, 'POST', '/api/trace', { body: vptOf(MARK), headers });
    assert.equal(field(json, 'trace', 'name'), name, sent);
    const { headers: back } = await ask(running, 'GET', '/api/trace');
    assert.equal(back['x-evil'], undefined);
    assert.match(String(back['content-disposition']), /^attachment; filename="[ !#-[\]-~]+"; /);
  }
});

test('an export is saved under the name of the trace, as .vpt, in both forms of the header', async () => {
  await using running = await startTestAgent();
  const rows: [string, string, string][] = [
    ['level.vpt', 'level.vpt', 'level.vpt'],
    ['stacks.folded', 'stacks.vpt', 'stacks.vpt'],
    ['left.VPT.partial', 'left.vpt', 'left.vpt'],
    ['a.b', 'a.b.vpt', 'a.b.vpt'],
    ['Stufe ü "1"', 'Stufe _ _1_.vpt', 'Stufe%20%C3%BC%20%221%22.vpt'],
    ["it's (1)*", "it's (1)*.vpt", 'it%27s%20%281%29%2A.vpt'],
  ];
  for (const [name, plain, encoded] of rows) {
    const headers = { 'svc-trace-name': encodeURIComponent(name) };
    await ask(running, 'POST', '/api/trace', { body: vptOf(MARK), headers });
    const { headers: back } = await ask(running, 'GET', '/api/trace');
    assert.equal(
      back['content-disposition'],
      `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    );
    assert.equal(back['accept-ranges'], 'bytes');
  }
});

test('--import-limit is exact to the byte, for a body of known length and for a chunked one', async () => {
  const body = vptOf(MARK);
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
    await using fits = await startTestAgent({ importLimitBytes: body.length });
    const answer = await ask(fits, 'POST', '/api/trace', { body, headers });
    assert.equal(answer.status, 200, answer.text);
    await using small = await startTestAgent({ importLimitBytes: body.length - 1 });
    const refused = await ask(small, 'POST', '/api/trace', { body, headers });
    assert.equal(refused.code, 'trace_too_large');
    assert.equal((await ask(small, 'GET', '/api/trace')).code, 'no_trace');
  }
});

test('a trace of many blocks is exported byte for byte, from its start and from its middle', async () => {
  await using running = await startTestAgent();
  const marks = Array.from({ length: 40_000 }, (_, t) => ({ type: 'mark', t, name: `mark ${t}` }));
  const text = vptOf(...marks);
  assert.ok(text.length > 1024 * 1024, 'more than one block');
  const { json } = await ask(running, 'POST', '/api/trace', { body: text });
  assert.equal(field(json, 'trace', 'records'), marks.length);
  assert.ok((await ask(running, 'GET', '/api/trace')).text === text, 'the same text');
  const headers = { range: 'bytes=700001-' };
  assert.ok((await ask(running, 'GET', '/api/trace', { headers })).text === text.slice(700_001));
});

test('a refused import has line and column, and leaves the retained trace unchanged', async () => {
  await using running = await startTestAgent({ importLimitBytes: 2_000 });
  const kept = vptOf(MARK);
  await ask(running, 'POST', '/api/trace', { body: kept });
  const rows: [string, string | Buffer, unknown, unknown][] = [
    ['invalid_trace', '', 1, 1],
    ['invalid_trace', 'frame;frame 12\n', 1, 1],
    ['invalid_trace', vptOf({ type: 'mark', t: -1, name: 'x' }), 2, undefined],
    ['invalid_trace', `${vptOf(MARK)}{"type":"mark"\n`, 3, undefined],
    ['invalid_trace', vptOf({ type: 'end', t: 1, reason: 'x' }, MARK), 3, 1],
    ['invalid_trace', vptOf({ type: 'Must', t: 1 }), 2, undefined],
    ['invalid_trace', `\uFEFF${vptOf(MARK)}`, 1, 1],
    ['invalid_trace', `${vptOf(MARK)}\0\n`, 3, 1],
    [
      'invalid_utf8',
      Buffer.concat([Buffer.from(vptOf(MARK)), Buffer.from([0x22, 0xff, 0x0a])]),
      3,
      2,
    ],
    ['trace_too_large', vptOf(MARK, { ...MARK, name: 'x'.repeat(3_000) }), undefined, undefined],
  ];
  for (const [code, body, line, column] of rows) {
    const answer = await ask(running, 'POST', '/api/trace', { body });
    assert.equal(answer.code, code, String(body).slice(0, 80));
    assert.equal(field(answer.json, 'error', 'line'), line, answer.text);
    if (column !== undefined) assert.equal(field(answer.json, 'error', 'column'), column);
    assert.equal((await ask(running, 'GET', '/api/trace')).text, kept);
  }
  for (const body of [
    'frame;frame 12\n',
    `main;draw ${'x'.repeat(1_000)} 3\n`,
    'main 1\nmain;dr',
  ]) {
    const folded = await ask(running, 'POST', '/api/trace', { body });
    assert.match(String(field(folded.json, 'error', 'message')), /svc trace convert FILE/, body);
  }
  const other = await ask(running, 'POST', '/api/trace', { body: 'hello\n' });
  assert.doesNotMatch(other.text, /svc trace convert/);
  const empty = await ask(running, 'POST', '/api/trace', { body: '' });
  assert.match(String(field(empty.json, 'error', 'message')), /empty/);
  assert.doesNotMatch(empty.text, /folded/);
  const large = await ask(running, 'POST', '/api/trace', { body: 'x'.repeat(3_000) });
  assert.match(String(field(large.json, 'error', 'message')), /2000 bytes.*--import-limit/);
});

test('a torn end is left out and reported; a client that disconnects in the middle leaves nothing', async () => {
  await using running = await startTestAgent();
  const torn = `${vptOf(MARK)}{"type":"mar`;
  const { json } = await ask(running, 'POST', '/api/trace', { body: torn });
  assert.deepEqual(
    [field(json, 'trace', 'partial'), field(json, 'trace', 'torn_bytes')],
    [true, 12],
  );
  assert.equal((await ask(running, 'GET', '/api/trace')).text, torn, 'the bytes stay as they came');
  const { token } = running.agent;
  const socket = connect(running.port, '127.0.0.1');
  socket.write(
    `POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 900\r\n\r\n${vptOf(MARK)}`,
  );
  await until(
    () => ask(running, 'POST', '/api/trace', { body: vptOf(MARK) }),
    ({ code }) => code === 'work_in_progress',
    'the slot to be taken',
  );
  socket.destroy();
  await until(
    () => ask(running, 'POST', '/api/trace', { body: vptOf(MARK) }),
    ({ status }) => status === 200,
    'the slot to be free again',
  );
});

test('NUL bytes at the end, as after a power cut, are torn: imported, opened and left by a killed session', async () => {
  using folder = temporaryFolder();
  const whole = vptOf(MARK);
  const bytes = Buffer.concat([Buffer.from(`${whole}{"type":"mar`), Buffer.alloc(3_000_000)]);
  const torn_bytes = bytes.length - Buffer.byteLength(whole);
  const traces = join(folder.path, 'data', 'traces');
  mkdirSync(traces, { recursive: true });
  const file = join(traces, 'killed.vpt.partial');
  writeFileSync(file, bytes);
  const options = agentOptions(folder.path, { file });
  await using agent = await startAgent(options);
  assert.deepEqual(
    agent.recovered.map(({ path }) => path),
    [file],
  );
  const running = { agent, port: Number(new URL(agent.origin).port) };
  const status = await ask(running, 'GET', '/api/status');
  assert.equal(field(status.json, 'trace', 'torn_bytes'), torn_bytes, 'a left-over recording');
  const { json, text } = await ask(running, 'POST', '/api/trace', { body: bytes });
  assert.deepEqual(
    [field(json, 'trace', 'records'), field(json, 'trace', 'partial')],
    [1, true],
    text,
  );
  assert.equal(field(json, 'trace', 'torn_bytes'), torn_bytes);
  const assets = await ask(running, 'GET', '/api/assets');
  assert.equal(assets.status, 200);
  const exported = await ask(running, 'GET', '/api/trace');
  assert.equal(exported.text.length, bytes.length, 'the bytes stay as they came');
  const analysis = await ask(running, 'POST', '/api/analyze', {
    body: '{"offline":true}',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(analysis.status, 200);
});

test('a slow import that is not a trace is refused with that reason while it arrives', async () => {
  await using running = await startTestAgent();
  const socket = connect(running.port, '127.0.0.1');
  let answer = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  const { port, agent } = running;
  socket.write(
    `POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${agent.token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const drip = setInterval(() => socket.write('f\r\nthis is a text\n\r\n'), 100);
  await until(
    () => answer,
    (text) => text.includes('}'),
  );
  clearInterval(drip);
  socket.destroy();
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"code":"invalid_trace"/);
});

test('one import at a time, none while capturing; a capture replaces an import', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/trace', { body: vptOf(MARK) });
  const { token } = running.agent;
  const slow = connect(running.port, '127.0.0.1');
  const answer: Buffer[] = [];
  slow.on('data', (chunk) => answer.push(chunk));
  const body = vptOf(MARK, MARK);
  slow.write(
    `POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 50)}`,
  );
  await until(
    () => ask(running, 'POST', '/api/trace', { body: vptOf(MARK) }),
    ({ code }) => code === 'work_in_progress',
  );
  await ask(running, 'POST', '/api/start');
  slow.write(body.slice(50));
  await within(once(slow, 'close'), 'the refusal');
  assert.match(Buffer.concat(answer).toString(), /^HTTP\/1\.1 409 .*"code":"capturing"/s);
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ json }) => field(json, 'trace', 'origin') === 'capture',
    'the capture to replace the import',
  );
  const refused = await ask(running, 'POST', '/api/trace', { body: vptOf(MARK) });
  assert.equal(refused.code, 'capturing');
});

test('Range: bytes=N- returns what is new, and 416 if nothing is new; other forms return the whole', async () => {
  await using running = await startTestAgent();
  const text = vptOf(MARK);
  await ask(running, 'POST', '/api/trace', { body: text });
  const get = (range: string) => ask(running, 'GET', '/api/trace', { headers: { range } });
  const tail = await get('bytes=10-');
  assert.equal(tail.status, 206);
  assert.equal(tail.text, text.slice(10));
  assert.equal(tail.headers['content-range'], `bytes 10-${text.length - 1}/${text.length}`);
  assert.equal(tail.headers['content-length'], String(text.length - 10));
  assert.equal((await get('bytes=0-')).status, 206);
  for (const range of ['bytes=0-5', 'bytes=-5', 'bytes=1-,3-', 'lines=1-', 'bytes=x-']) {
    const whole = await get(range);
    assert.deepEqual([whole.status, whole.text], [200, text], range);
  }
  assert.equal((await get('Bytes=10-')).text, tail.text, 'the unit is of any case');
  assert.equal((await get(`bytes=${'9'.repeat(400)}-`)).code, 'range_not_satisfiable');
  const { agent } = running;
  const client = clientOf(agent);
  for (const from of [text.length, text.length + 5, 1e14]) {
    const none = await get(`bytes=${from}-`);
    assert.equal(none.code, 'range_not_satisfiable');
    assert.equal(none.headers['content-range'], `bytes */${text.length}`);
    assert.equal(await exportTrace(client, from), null);
  }
});

test('while capturing, each export continues the previous one', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/start');
  const first = await until(
    () => ask(running, 'GET', '/api/trace'),
    ({ status }) => status === 200,
  );
  const more = await until(
    () =>
      ask(running, 'GET', '/api/trace', {
        headers: { range: `bytes=${Buffer.byteLength(first.text)}-` },
      }),
    ({ status }) => status === 206,
  );
  assert.equal(more.headers['svc-trace-partial'], 'true');
  const whole = await ask(running, 'GET', '/api/trace');
  assert.ok(whole.text.startsWith(first.text + more.text));
  assert.ok(whole.text.endsWith('\n'), 'whole lines only');
});

const TEXTURE = { type: 'asset', id: 'a', name: 'a.png', kind: 'texture', phase: 'decode' };

test('GET /api/assets: empty without a trace or asset records, costliest first with them', async () => {
  await using running = await startTestAgent();
  for (const body of [null, vptOf(MARK)]) {
    if (body !== null) await ask(running, 'POST', '/api/trace', { body });
    const { json } = await ask(running, 'GET', '/api/assets');
    assert.ok(Check(AGENT_ROUTES.assets.answer, json));
    assert.deepEqual(json.assets, []);
    assert.ok(json.budget_ms > 16 && json.budget_ms < 17);
  }
  const body = vptOf(
    { ...TEXTURE, t: 1, duration_ms: 2, main_thread_ms: 2 },
    { ...TEXTURE, id: 7, name: 'b.png', t: 5, duration_ms: 90, main_thread_ms: 90 },
  );
  await ask(running, 'POST', '/api/trace', { body });
  const reports = await Promise.all([1, 2, 3].map(() => ask(running, 'GET', '/api/assets')));
  for (const { json } of reports) {
    assert.ok(Check(AGENT_ROUTES.assets.answer, json), JSON.stringify(json));
    assert.deepEqual(
      json.assets.map(({ id }) => id),
      [7, 'a'],
    );
  }
});

async function withFile(
  name: string,
  text: string,
  use: (running: TestAgent, path: string) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const path = join(folder.path, name);
  writeFileSync(path, text);
  await using running = await startTestAgent({ file: path });
  await use(running, path);
}

test('a FILE is open at the start: .vpt unchanged, folded stacks as .vpt', async () => {
  const text = vptOf(MARK);
  await withFile('level.vpt', text, async (running, path) => {
    const { json } = await ask(running, 'GET', '/api/status');
    assert.equal(field(json, 'trace', 'origin'), 'file');
    assert.equal(field(json, 'trace', 'name'), 'level.vpt');
    assert.equal(field(json, 'trace', 'path'), path);
    assert.equal((await ask(running, 'GET', '/api/trace')).text, text);
  });
  await withFile('stacks.folded', 'main;update 3\nmain;draw 5\n', async (running) => {
    const exported = await ask(running, 'GET', '/api/trace');
    assert.match(exported.text, /^\{"vpt":1/);
    assert.match(exported.text, /"names":\["main","update","draw"\]/);
    assert.match(String(exported.headers['content-disposition']), /filename="stacks\.vpt"/);
  });
  using folder = temporaryFolder();
  const path = `${folder.path}/none.folded`;
  writeFileSync(path, 'no stack at all\n');
  const empty = `${folder.path}/empty.vpt`;
  writeFileSync(empty, '');
  await assert.rejects(tryToStart(agentOptions(folder.path, { file: empty })), (error) => {
    assert.ok(error instanceof StartError && error.code === 'invalid_file');
    assert.match(error.message, /empty\.vpt:1:1: Cannot read a trace: the file is empty/);
    return true;
  });
  await assert.rejects(tryToStart(agentOptions(folder.path, { file: path })), (error) => {
    assert.ok(error instanceof StartError && error.code === 'invalid_file');
    assert.match(error.message, /none\.folded:\d+:\d+: /);
    return true;
  });
});

test('--import-limit applies exactly to a FILE, and to a converted one', async () => {
  using folder = temporaryFolder();
  const text = vptOf(MARK);
  const folded = 'main;update 3\nmain;draw 5\n';
  const converted = await sizeOf(folder.path, 'stacks.folded', folded);
  assert.ok(converted > folded.length);
  for (const [name, body, bytes] of [
    ['level.vpt', text, text.length],
    ['stacks.folded', folded, converted],
  ] as const) {
    assert.equal(await sizeOf(folder.path, name, body, bytes), bytes);
    await assert.rejects(sizeOf(folder.path, name, body, bytes - 1), {
      code: 'invalid_file',
      message: new RegExp(`it is larger than ${bytes - 1} bytes, .* --import-limit`),
    });
  }
  await assertNothingOpen(folder.path);
});

/** The bytes of the trace of an agent that has opened a file with this text. */
async function sizeOf(
  folder: string,
  name: string,
  text: string,
  importLimitBytes = 1e6,
): Promise<number> {
  const file = join(folder, name);
  writeFileSync(file, text);
  await using running = await startTestAgent({ file, importLimitBytes });
  const { json } = await ask(running, 'GET', '/api/status');
  return Number(field(json, 'trace', 'bytes'));
}

test('an import with an unknown Expect or a pipelined request after it is read like any other', async () => {
  await using running = await startTestAgent();
  const body = vptOf(MARK);
  const head = `POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${running.agent.token}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n`;
  assert.equal((await askRaw(running.port, `${head}Expect: nonsense\r\n\r\n${body}`)).status, 200);
});

test('an import that is refused by its head is answered without 100 Continue, and another one after it', async () => {
  await using running = await startTestAgent();
  const body = vptOf(MARK);
  const head = (token: string, length: number): string =>
    `POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
  const { token } = running.agent;
  assert.equal((await askRaw(running.port, head('wrong', body.length))).status, 401);
  assert.equal((await askRaw(running.port, head(token, Number.MAX_SAFE_INTEGER))).status, 413);
  const socket = connect(running.port, '127.0.0.1');
  socket.write(head(token, body.length));
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
  }
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
});
