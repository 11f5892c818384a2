import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFooterLinks } from './footer-links.ts';

test('links have a name and an address, and are separated by semicolons', () => {
  assert.deepEqual(readFooterLinks('Imprint=https://games.example/imprint'), [
    { name: 'Imprint', address: 'https://games.example/imprint' },
  ]);
  assert.deepEqual(
    readFooterLinks(' Über uns = https://x.example/?a=1&b=2 ;Contact=mailto:us@x.example '),
    [
      { name: 'Über uns', address: 'https://x.example/?a=1&b=2' },
      { name: 'Contact', address: 'mailto:us@x.example' },
    ],
  );
  assert.equal(readFooterLinks(Array(8).fill('A=https://x.example').join(';'))?.length, 8);
});

test('other texts are rejected', () => {
  const texts = [
    ...['', ';', 'Imprint', '=https://x.example', ' =https://x.example', 'A=', 'A=/imprint'],
    ...['A=javascript:alert(1)', 'A=data:text/html,x', 'A=https://u:p@x.example', 'A=x y'],
    ...['A=https://:p@x.example', 'A=https:imprint', 'A=mailto:', 'A=https://x.example;b'],
    ...['A=https://x.example;', 'A=https://x.example;B', `${'x'.repeat(41)}=https://x.example`],
    ...['A\nB=https://x.example', Array(9).fill('A=https://x.example').join(';')],
  ];
  for (const text of texts) assert.equal(readFooterLinks(text), null, JSON.stringify(text));
});
