import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContacts, securityText } from './security-text.ts';

test('the text names the contacts in their order, and expires in about a month', () => {
  const contacts = ['mailto:security@games.example', 'https://games.example/report'];
  const now = Date.parse('2026-11-28T09:10:11Z');
  assert.equal(
    securityText(contacts, 'https://www.games.example', now),
    `Contact: mailto:security@games.example
Contact: https://games.example/report
Expires: 2026-12-28T00:00:00.000Z
Canonical: https://www.games.example/.well-known/security.txt
`,
  );
});

test('contacts are mailto: and https: addresses', () => {
  const both = ['mailto:a@x.example', 'https://x.example/a'];
  assert.deepEqual(readContacts(` ${both.join(' , ')}\n`), both);
  assert.deepEqual(readContacts(' '), []);
  for (const other of ['a@x.example', 'http://x.example', 'mailto:', 'mailto:a', 'javascript:1']) {
    assert.equal(readContacts(`${both[0]} ${other}`), null, other);
  }
});
