import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dismiss, notices, notify } from './notices.ts';

const texts = (): string[] => notices.value.map(({ text }) => text);

test('good news disappears after ten seconds, and warnings and errors stay until they are closed', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => {
    notices.value = [];
  });
  for (const tone of ['info', 'good', 'warn', 'bad'] as const) notify(tone, tone);
  assert.deepEqual(texts(), ['info', 'good', 'warn', 'bad']);
  t.mock.timers.tick(9_999);
  assert.equal(notices.value.length, 4);
  t.mock.timers.tick(1);
  assert.deepEqual(texts(), ['warn', 'bad']);
  dismiss(notices.value[0]?.id ?? -1);
  assert.deepEqual(texts(), ['bad']);
  t.mock.timers.tick(600_000);
  assert.deepEqual(texts(), ['bad']);
});

test('a notice can have a text to copy by hand', (t) => {
  t.after(() => {
    notices.value = [];
  });
  notify('warn', 'Refused.', { text: 'https://a.example/', what: 'link' });
  notify('warn', 'Another.');
  assert.deepEqual(
    notices.value.map(({ copy }) => copy),
    [{ text: 'https://a.example/', what: 'link' }, null],
  );
});

test('at most the four latest notices are shown, each with a unique id', (t) => {
  t.after(() => {
    notices.value = [];
  });
  for (const text of ['a', 'b', 'c', 'd', 'e']) notify('bad', text);
  assert.deepEqual(texts(), ['b', 'c', 'd', 'e']);
  assert.equal(new Set(notices.value.map(({ id }) => id)).size, 4);
});
