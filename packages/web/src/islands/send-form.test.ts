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

test('a form is sent by POST with a JSON Accept header, and the response is returned', async () => {
  const answer = { page: { id: 7 } };
  assert.deepEqual(await answered(200, answer), { state: 'done', answer });
  const { method, address, headers, body } = newest();
  assert.deepEqual([method, address, String(body)], ['POST', '/media', 'a=1']);
  assert.deepEqual(headers, { accept: 'application/json' });
  assert.deepEqual(await answered(299, 'no JSON'), { state: 'done', answer: null });
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

test('an expired session, an abort and an unreachable server have different results', async () => {
  assert.deepEqual(await answered(401, { error: { message: 'sign in' } }), { state: 'signed-out' });
  const stop = new AbortController();
  const stopped = send(stop.signal);
  stop.abort();
  assert.deepEqual(await stopped, { state: 'stopped' });
  const lost = send();
  newest().fail();
  assert.deepEqual(await lost, { state: 'unreachable' });
});

test('a rejection has its message and its findings without duplicates', async () => {
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

test('an unreadable response is a rejection with its status', async () => {
  for (const body of ['<html>', '', {}, { error: null }, { error: { message: 5 } }, null, []]) {
    assert.deepEqual(await answered(502, body), {
      state: 'refused',
      message: 'The store returned an unreadable response (502).',
      findings: [],
    });
  }
  assert.equal((await answered(300, {})).state, 'refused');
  assert.equal((await answered(0, {})).state, 'refused');
});

test('readFindings accepts any value', () => {
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
