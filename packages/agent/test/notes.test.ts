// POST /api/notes: notes in a recording, notes beside an imported trace or an opened file, and their exports.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AGENT_ROUTES,
  exportTrace,
  importTrace,
  liveProtocols,
  NOTE_LIMITS,
  type NoteChange,
  type TraceSummary,
} from '@svc/contracts/agent';
import { modelOf, readVpt } from '@svc/trace';
import { Check } from 'typebox/value';
import { completion, fakeProvider } from './fake-provider.ts';
import {
  type Answer,
  agentOptions,
  ask,
  clientOf,
  field,
  startAgentProcess,
  startTarget,
  startTestAgent,
  type TestAgent,
  temporaryFolder,
  until,
  vptOf,
  within,
} from './harness.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const MARK = { type: 'mark', t: 5, name: 'here' };
const END = { type: 'end', t: 12, reason: 'done' };
const HEADER = vptOf().trimEnd();

const note = (id: number | string, text = 'a note', t = 1): NoteChange => ({ id, t, text });
const line = (id: number | string, text = 'a note', t = 1): string =>
  `${JSON.stringify({ type: 'note', t, id, text })}\n`;

function post(running: TestAgent, body: unknown): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return ask(running, 'POST', '/api/notes', { body: text, headers: JSON_TYPE });
}

/** Adds notes that are accepted, and returns the summary of the answer. */
async function add(running: TestAgent, ...notes: NoteChange[]): Promise<TraceSummary> {
  const { json, text } = await post(running, { notes });
  assert.ok(Check(AGENT_ROUTES.add_notes.answer, json), text);
  return json.trace;
}

async function exported(running: TestAgent): Promise<string> {
  const { text, headers } = await ask(running, 'GET', '/api/trace');
  assert.equal(Number(headers['content-length']), Buffer.byteLength(text));
  return text;
}

test('a note beside an imported trace is in its export, with or without an end, torn bytes or a line feed', async () => {
  await using running = await startTestAgent();
  const [mark, end] = [MARK, END].map((record) => JSON.stringify(record));
  const added = line('a', 'ü') + line(7, '');
  for (const [before, after] of [
    [`${HEADER}\n${mark}\n`, `${end}\n`],
    [`${HEADER}\n${mark}\n`, `${end}`],
    [`${HEADER}\n${mark}\n`, `${end}\n\0\0\0`],
    [`${HEADER}\n${mark}\n`, ''],
    [`${HEADER}\n${mark}\n`, '{"type":"ma'],
    [`${HEADER}\n${mark}`, ''],
    [`${HEADER}\n${mark}\n`, '\0\0'],
    [`${HEADER}\n`, ''],
    [`${HEADER}`, ''],
  ] as const) {
    const { json } = await ask(running, 'POST', '/api/trace', { body: before + after });
    const imported = field(json, 'trace') as TraceSummary;
    const summary = await add(running, note('a', 'ü'), note(7, ''));
    const noted = before + (before.endsWith('\n') ? '' : '\n') + added + after;
    assert.equal(await exported(running), noted, JSON.stringify(before + after));
    assert.deepEqual(
      [summary.id, summary.bytes, summary.records],
      [imported.id, Buffer.byteLength(noted), imported.records + 2],
    );
    const status = await ask(running, 'GET', '/api/status');
    assert.deepEqual(field(status.json, 'trace'), summary);
    const again = await ask(running, 'POST', '/api/trace', { body: noted });
    const same = { id: summary.id, notes_revision: summary.notes_revision };
    assert.deepEqual({ ...(field(again.json, 'trace') as object), ...same }, summary);
  }
});

test('a later note replaces the one with its id, and an empty text removes it, also one of the file', async () => {
  await using running = await startTestAgent();
  const body = vptOf(MARK, { type: 'note', t: 3, id: 'old', text: 'of the file' }, END);
  await ask(running, 'POST', '/api/trace', { body });
  await add(running, note(1, 'one'), note(2, 'two'), { ...note(3, 'wide'), duration_ms: 40 });
  await add(running, note(1, 'changed', 2.00049), note(2, ''), note('old', ''));
  const text = await exported(running);
  assert.deepEqual(
    modelOf(text).notes.map(({ id, t, text: written, duration_ms }) => [
      id,
      t,
      written,
      duration_ms,
    ]),
    [
      [3, 1, 'wide', 40],
      [1, 2, 'changed', undefined],
    ],
  );
  assert.equal(readVpt(Buffer.from(text)).records, 3 + 4, 'one line for each id');
});

test('a note has the first source of a header with several', async () => {
  await using running = await startTestAgent();
  const body = `${HEADER.replace('["browser"]', '["native","browser"]')}\n`;
  await ask(running, 'POST', '/api/trace', { body });
  await add(running, note(1));
  assert.deepEqual(readVpt(Buffer.from(await exported(running))).lines, [
    { type: 'note', t: 1, source: 'native', id: 1, text: 'a note' },
  ]);
});

test('the opened file is never written to, and another trace does not have its notes', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'a.vpt');
  const text = vptOf(MARK, END);
  writeFileSync(file, text);
  await using running = await startTestAgent({ file });
  await add(running, note(1));
  assert.match(await exported(running), /"note"/);
  assert.equal(readFileSync(file, 'utf8'), text);
  await ask(running, 'POST', '/api/trace', { body: text });
  assert.equal(await exported(running), text);
});

test('a range begins anywhere in the trace with its notes', async () => {
  await using running = await startTestAgent();
  await ask(running, 'POST', '/api/trace', { body: vptOf(MARK, END) });
  await add(running, note(1), note(2));
  const whole = await exported(running);
  for (let from = 0; from < whole.length; from += 5) {
    const range = `bytes=${from}-`;
    const { status, text, headers } = await ask(running, 'GET', '/api/trace', {
      headers: { range },
    });
    assert.deepEqual([status, text], [206, whole.slice(from)]);
    assert.equal(headers['content-range'], `bytes ${from}-${whole.length - 1}/${whole.length}`);
    assert.equal(Number(headers['content-length']), whole.length - from);
  }
  const beyond = { headers: { range: `bytes=${whole.length}-` } };
  const { code, headers } = await ask(running, 'GET', '/api/trace', beyond);
  assert.equal(code, 'range_not_satisfiable');
  assert.equal(headers['content-range'], `bytes */${whole.length}`);
});

test('an export has the notes that were there when it began', async () => {
  await using running = await startTestAgent();
  const log = { type: 'log', t: 1, level: 'info', text: 'x'.repeat(60_000) };
  const body = vptOf(...Array.from({ length: 500 }, () => log), END);
  await ask(running, 'POST', '/api/trace', { body });
  await add(running, note(1));
  const expected = await exported(running);
  const socket = connect(running.port, '127.0.0.1');
  using _ = { [Symbol.dispose]: () => socket.destroy() };
  socket.write(
    `GET /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${running.agent.token}\r\nConnection: close\r\n\r\n`,
  );
  await within(once(socket, 'readable'), 'the export to begin');
  await add(running, note(1, 'changed'), note(2));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const [, received = ''] = Buffer.concat(chunks)
    .toString()
    .split(/\r\n\r\n([\s\S]*)/);
  assert.equal(received === expected, true, 'the snapshot of its beginning');
  assert.match((await exported(running)).slice(-1_000), /changed/);
});

test('parallel requests lose no note', async () => {
  await using target = await startTarget();
  for (const pid of [null, target.pid]) {
    await using running = await startTestAgent({ pid });
    if (pid === null) await ask(running, 'POST', '/api/trace', { body: vptOf(MARK, END) });
    else await captureIn(running);
    const ids = Array.from({ length: 50 }, (_, id) => id);
    await Promise.all(
      ids.map((id) =>
        until(
          () => post(running, { notes: [note(id), note(`${id}`)] }),
          ({ status, code }) => {
            assert.ok(status === 200 || code === 'busy', String(code));
            return status === 200;
          },
        ),
      ),
    );
    const { notes } = modelOf(await exported(running));
    const wanted = [...ids, ...ids.map(String)].map((id) => JSON.stringify(id)).sort();
    assert.deepEqual(notes.map(({ id }) => JSON.stringify(id)).sort(), wanted);
  }
});

test('an invalid body is rejected whole, and names the note', async () => {
  await using running = await startTestAgent();
  const body = vptOf(MARK);
  await ask(running, 'POST', '/api/trace', { body });
  for (const [notes, message] of [
    [[], /list of notes has 0 entries\. Allowed: 1 to 100 entries/],
    [Array.from({ length: 101 }, (_, id) => note(id)), /101 entries/],
    [[note(1), { t: 1, text: 'x' }], /id of note 2 is missing/],
    [[note(1), note('')], /id of note 2 is empty\. Allowed: 1 to 200 characters/],
    [[note(1.5)], /id of note 1 is 1\.5\. Allowed: a whole number or text/],
    [[note(-1)], /id of note 1 is -1/],
    [[note(2 ** 53)], /id of note 1 is 9,007,199,254,740,992/],
    [[note('x'.repeat(201))], /id of note 1 is too long/],
    [[note(1, 'x', -1)], /time of note 1 is -1/],
    [[note(1, 'x', NOTE_LIMITS.latest_ms + 1)], /time of note 1/],
    [[{ ...note(1), duration_ms: null }], /duration of note 1 is null/],
    [[note(1, 'x'.repeat(16_385))], /text of note 1 is too long: it has 16,385 characters/],
    [[note(1), note(2, 'half \ud83d of it')], /text of note 2 .*lone surrogates/],
    [[note('\udc00')], /id of note 1 .*lone surrogates/],
    [[{ ...note(1), source: 'native' }], /field \\"source\\" of note 1 is unknown/],
  ] as const) {
    const { code, text } = await post(running, { notes });
    assert.equal(code, 'invalid_input', text);
    assert.match(text, message);
  }
  for (const hostile of [
    '{"notes":[{"id":1,"t":1,"text":"\\ud800"}]}',
    '{"notes":[{"id":1,"t":1,"text":"x"}],"__proto__":{}}',
    '{"notes":[{"id":1,"t":1e400,"text":"x"}]}',
    '{"notes":[{"id":1,"t":1,"text":"a\nb"}]}',
    `{"notes":${'['.repeat(100_000)}`,
    '',
    'null',
  ]) {
    assert.equal((await post(running, hostile)).code, 'invalid_input', hostile.slice(0, 50));
  }
  const large = JSON.stringify({ notes: [note(1)], x: 'x'.repeat(NOTE_LIMITS.body_bytes) });
  assert.equal((await post(running, large)).code, 'payload_too_large');
  const plain = { body: '{}', headers: { 'content-type': 'text/plain' } };
  const { code } = await ask(running, 'POST', '/api/notes', plain);
  assert.equal(code, 'unsupported_media_type');
  assert.equal(await exported(running), body, 'nothing was added');
});

test('texts with line feeds, controls and lines of the format stay texts, up to the longest', async () => {
  await using running = await startTestAgent();
  await ask(running, 'POST', '/api/trace', { body: vptOf(MARK, END) });
  const texts = [
    '"}\n{"type":"end","t":1,"reason":"off"}\n',
    '\0\u0001\u2028\u2029\r\n\ufeff',
    '😀'.repeat(NOTE_LIMITS.text_characters),
    '\u0001'.repeat(NOTE_LIMITS.text_characters),
  ];
  await add(running, ...texts.map((text, id) => note(id, text)), note('\n"\\', 'x'));
  const { notes, end } = modelOf(await exported(running));
  assert.deepEqual(
    notes.map(({ text }) => text),
    [...texts, 'x'],
  );
  assert.equal(end?.reason, 'done');
});

test('more than 10,000 ids beside a trace are refused, and the request adds nothing', async () => {
  await using running = await startTestAgent();
  assert.equal((await post(running, { notes: [note(1)] })).code, 'no_trace');
  await ask(running, 'POST', '/api/trace', { body: vptOf(MARK) });
  for (let id = 0; id < NOTE_LIMITS.kept_ids; id += 100) {
    await add(running, ...Array.from({ length: 100 }, (_, i) => note(id + i)));
  }
  const before = await exported(running);
  const { code, text } = await post(running, { notes: [note(1, 'changed'), note('more')] });
  assert.equal(code, 'too_many_notes', text);
  assert.equal((await exported(running)) === before, true);
  assert.equal((await add(running, note(1, 'changed'))).records, NOTE_LIMITS.kept_ids + 1);
});

/** Starts the capture and waits until it is the retained trace. */
async function captureIn(running: TestAgent): Promise<void> {
  await ask(running, 'POST', '/api/start');
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ json }) => Number(field(json, 'trace', 'records')) > 0,
  );
}

test('a note of a capture is a record of its file, and live clients receive the status', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  const live = new WebSocket(
    `${running.agent.origin.replace('http', 'ws')}/api/live`,
    liveProtocols(running.agent.token),
  );
  let latest = '';
  live.addEventListener('message', ({ data }) => {
    latest = String(data);
  });
  await captureIn(running);
  const { bytes: from } = await add(running, note(1, 'first', 2.00049));
  const summary = await add(running, note(1, 'second'), note('b'));
  const rest = await exportTrace(clientOf(running.agent), from);
  assert.equal(await rest?.response.text(), line(1, 'second') + line('b'));
  await until(
    () => Number(field(JSON.parse(latest), 'status', 'trace', 'records')),
    (records) => records >= summary.records,
  );
  const { json } = await ask(running, 'POST', '/api/off');
  const { lines, end } = readVpt(readFileSync(String(field(json, 'trace', 'path'))));
  assert.equal(end?.reason, 'off');
  assert.deepEqual(
    lines.filter(({ type }) => type === 'note'),
    [
      { type: 'note', t: 2, id: 1, text: 'first' },
      { type: 'note', t: 1, id: 1, text: 'second' },
      { type: 'note', t: 1, id: 'b', text: 'a note' },
    ],
  );
});

test('a capture that replaces an imported trace does not have its notes', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/trace', { body: vptOf(MARK) });
  await add(running, note(1, 'of the import'));
  await ask(running, 'POST', '/api/start');
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ json }) => field(json, 'trace', 'origin') === 'capture',
  );
  await add(running, note(2));
  const text = await exported(running);
  assert.match(text, /"a note"/);
  assert.doesNotMatch(text, /of the import/);
});

test('a note of a capture is in the .partial file after SIGKILL', async () => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  await using running = await startAgentProcess(agentOptions(folder.path, { pid: target.pid }));
  const client = clientOf(running.listening);
  await client.call('start', {});
  await until(
    () => client.call('status', {}),
    ({ trace }) => (trace?.records ?? 0) > 0,
  );
  const { trace } = await client.call('add_notes', { body: { notes: [note('kept')] } });
  const exit = once(running.child, 'exit');
  running.child.kill('SIGKILL');
  await within(exit, 'the agent to exit');
  assert.match(trace.path ?? '', /\.partial$/);
  const { notes } = modelOf(readFileSync(trace.path ?? '', 'utf8'));
  assert.deepEqual(notes, [{ type: 'note', t: 1, id: 'kept', text: 'a note' }]);
});

test('a recording at its cap refuses notes with 507; a note that does not fit does not end it', async () => {
  await using target = await startTarget();
  // The header nearly fills the cap, so that a few samples exceed it.
  const version = 'x'.repeat(3_000);
  await using running = await startTestAgent({ pid: target.pid, storageCapBytes: 8192, version });
  await captureIn(running);
  const long = note(1, 'x'.repeat(2_000));
  const refused = await post(running, { notes: [note(2), long] });
  assert.equal(refused.code, 'storage_full', refused.text);
  assert.doesNotMatch(await exported(running), /"note"|storage_cap/);
  await add(running, note(2));
  await until(
    () => post(running, { notes: [note(3)] }),
    ({ code }) => code === 'storage_full',
  );
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ json }) => field(json, 'trace', 'truncated') === true,
  );
  assert.match((await post(running, { notes: [note(4)] })).text, /has ended for lack of room/);
  const { json } = await ask(running, 'POST', '/api/off');
  const bytes = readFileSync(String(field(json, 'trace', 'path')));
  assert.ok(bytes.length <= 8192);
  const { notes, end } = modelOf(bytes.toString());
  assert.equal(end?.reason, 'storage_cap');
  assert.equal(notes[0]?.id, 2);
});

test('notes are refused with 503 when the session ends, and exports have those of before', async () => {
  await using running = await startTestAgent();
  const client = clientOf(running.agent);
  await importTrace(client, vptOf(MARK));
  await client.call('add_notes', { body: { notes: [note(1)] } });
  // A client that is connected gives the agent a second in which it answers exports.
  const live = new WebSocket(
    `${running.agent.origin.replace('http', 'ws')}/api/live`,
    liveProtocols(running.agent.token),
  );
  await once(live, 'message');
  const sockets = [connect(running.port, '127.0.0.1'), connect(running.port, '127.0.0.1')];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  running.agent.end('off');
  const head = `HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${running.agent.token}\r\nConnection: close\r\n`;
  const body = JSON.stringify({ notes: [note(2)] });
  sockets[0]?.write(
    `POST /api/notes ${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  sockets[1]?.write(`GET /api/trace ${head}\r\n`);
  const [refused = '', answer = ''] = await Promise.all(
    sockets.map(async (socket) => Buffer.concat(await socket.toArray()).toString()),
  );
  assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*"shutting_down"/);
  assert.ok(answer.endsWith(vptOf(MARK) + line(1)), answer);
});

test('no text of a note is sent to a model provider, from the file, beside it or in a recording', async () => {
  const secret = 'a private thought';
  await using provider = await fakeProvider((response) => response.end(completion('Load less.')));
  await using target = await startTarget();
  await using running = await startTestAgent({
    pid: target.pid,
    providerUrl: provider.url,
    env: { SVC_PROVIDER_KEY: 'sk-test' },
  });
  const frames = { type: 'frames', t: 0, duration_ms: [16, 16, 120, 16] };
  const inFile = { type: 'note', t: 30, id: secret, text: `${secret} in the file` };
  await ask(running, 'POST', '/api/trace', { body: vptOf(frames, inFile, END) });
  const analyze = async (): Promise<void> => {
    const body = JSON.stringify({ offline: false, model: 'custom/m' });
    const { status } = await ask(running, 'POST', '/api/analyze', { body, headers: JSON_TYPE });
    assert.equal(status, 200);
  };
  await analyze();
  await add(running, { ...note(`${secret} id`, `${secret} beside it`, 40), duration_ms: 5 });
  await analyze();
  assert.equal(provider.received[0]?.body, provider.received[1]?.body);
  await captureIn(running);
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ json }) => field(json, 'trace', 'origin') === 'capture',
  );
  await add(running, note(secret, secret));
  assert.match(await exported(running), new RegExp(secret));
  await analyze();
  assert.equal(provider.received.length, 3);
  for (const { body } of provider.received) assert.doesNotMatch(body, /private|thought/);
});
