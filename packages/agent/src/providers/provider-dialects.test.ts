import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatProviderFault } from './provider-dialects.ts';

const shown = (message: string, key: string | null = null): string =>
  formatProviderFault(JSON.stringify({ error: { message } }), key);

test('formatProviderFault finds the message in each form that providers use', () => {
  const rows: [body: string, expected: string][] = [
    ['{"error":{"message":"quota exceeded","code":429}}', 'quota exceeded'],
    ['[{"error":{"message":"quota exceeded"}}]', 'quota exceeded'],
    ['{"error":"model not found"}', 'model not found'],
    ['{"error":{"code":429}}', ''],
    ['{"error":{"":"not a message"}}', ''],
    ['{"":"not an error"}', ''],
    ['[{},{"error":{"message":"second"}}]', ''],
    ['{"message":"outside of error"}', ''],
    ['not JSON', ''],
    ['', ''],
  ];
  for (const [body, expected] of rows)
    assert.equal(formatProviderFault(body, null), expected, body);
});

test('formatProviderFault replaces whatever looks like a key', () => {
  const rows: [message: string, expected: string][] = [
    ['Bearer x is wrong', '[key] is wrong'],
    ['bearer  abc.def', '[key]'],
    ['Incorrect API key: sk-a1b2', 'Incorrect API key: [key]'],
    ['sk-***cdef and sk_live_1', '[key] and [key]'],
    ['sk-abc is short', 'sk-abc is short'],
    [
      'pk-abcd rk-abcd gsk_abcd xai-abcd key-abcd org-abcd proj_abcd',
      Array(7).fill('[key]').join(' '),
    ],
    ['ask-abcd is a word', 'ask-abcd is a word'],
    ['AIzaSyB-12345', '[key]'],
    ['AIza1234567', 'AIza1234567'],
    ['AIza12345678', '[key]'],
    [`${'a'.repeat(31)}1 is long`, '[key] is long'],
    [`${'a'.repeat(30)}1 is shorter`, `${'a'.repeat(30)}1 is shorter`],
    [`${'1'.repeat(32)}==`, '[key]'],
    ['a'.repeat(40), 'a'.repeat(40)],
    [`${'a'.repeat(40)} in 2026`, `${'a'.repeat(40)} in 2026`],
  ];
  for (const [message, expected] of rows) assert.equal(shown(message), expected, message);
  assert.equal(shown('own secret key: own secret', 'own secret'), '[key] key: [key]');
});

test('formatProviderFault returns one line of at most 300 characters', () => {
  assert.equal(shown(' two \r\n\t lines\u0000 \u202e end '), 'two lines end');
  assert.equal(shown('long '.repeat(100)), 'long '.repeat(60));
});
