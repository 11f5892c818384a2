import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { newest, sent } from '../../test/stand-in-upload.ts';
import { field, readFindings, type Sent, sendForm, text } from './send-form.ts';

beforeEach(() => {
  sent.length = 0;
});

function send(signal = new AbortController().signal, onProgress = (_share: number) => {}) {
  return sendForm('/media', new URLSearchParams({ a: '1' }), signal, onProgress);
}

async function answered(status: number, body: unknown): Promise<Sent> {
  const done = send();
  newest().answer(status, body);
  return done;
}

test('a form is posted as it is, asks for JSON, and reports what came of it', async () => {
  const told = { page: { id: 7 } };
  assert.deepEqual(await answered(200, told), { state: 'done', told });
  const { method, address, headers, body } = newest();
  assert.deepEqual([method, address, String(body)], ['POST', '/media', 'a=1']);
  assert.deepEqual(headers, { accept: 'application/json' });
  assert.deepEqual(await answered(299, 'no JSON'), { state: 'done', told: null });
});

test('progress is reported as a share', async () => {
  const shares: number[] = [];
  const done = send(undefined, (share) => shares.push(share));
  newest().progress(1, 4);
  newest().progress(4, 4);
  newest().answer(200, {});
  await done;
  assert.deepEqual(shares, [0.25, 1]);
});

test('a session that has ended, a stop and a server that can not be reached are told apart', async () => {
  assert.deepEqual(await answered(401, { error: { message: 'sign in' } }), { state: 'signed-out' });
  const stop = new AbortController();
  const stopped = send(stop.signal);
  stop.abort();
  assert.deepEqual(await stopped, { state: 'stopped' });
  const lost = send();
  newest().fail();
  assert.deepEqual(await lost, { state: 'unreachable' });
});

test('a refusal reports its message and its findings, none of them twice', async () => {
  const finding = { entry: 'a.js', message: 'It is too big', hint: 'Pack it' };
  const error = { message: 'Two faults.', details: [{ message: 'Two faults' }, finding] };
  assert.deepEqual(await answered(422, { error }), {
    state: 'refused',
    message: 'Two faults.',
    findings: [finding],
  });
  const same = { message: 'One fault.', details: [{ message: 'One fault.' }] };
  assert.deepEqual(await answered(422, { error: same }), {
    state: 'refused',
    message: 'One fault.',
    findings: [],
  });
});

test('an answer that can not be read is a refusal that says so, with its number', async () => {
  for (const body of ['<html>', '', {}, { error: null }, { error: { message: 5 } }, null, []]) {
    assert.deepEqual(await answered(502, body), {
      state: 'refused',
      message: 'The store gave an answer that can’t be read (502).',
      findings: [],
    });
  }
  assert.equal((await answered(300, {})).state, 'refused');
  assert.equal((await answered(0, {})).state, 'refused');
});

test('findings are read from whatever came', () => {
  for (const nothing of [undefined, null, 'text', 5, {}])
    assert.deepEqual(readFindings(nothing), []);
  assert.deepEqual(readFindings([{ entry: 5, message: 'm', hint: null }, null, 'x']), [
    { entry: null, message: 'm', hint: null },
    { entry: null, message: '', hint: null },
    { entry: null, message: '', hint: null },
  ]);
  assert.deepEqual(
    [field('text', 'length'), field(null, 'a'), field({ a: 1 }, 'a')],
    [undefined, undefined, 1],
  );
  assert.deepEqual([text({ a: 'b' }, 'a'), text({ a: 1 }, 'a')], ['b', null]);
});
