import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { createSender } from './sender.ts';

function from(remoteAddress: string | undefined, headers: Record<string, string | string[]>) {
  return { headers, socket: { remoteAddress }, connection: { remoteAddress } } as IncomingMessage;
}

test('the id of a request is accepted from a trusted proxy only', () => {
  const headers = { 'x-request-id': 'a1-B2_c.d:e/f+g=' };
  const { givenId } = createSender('10.0.0.0/8, ::1');
  assert.equal(givenId(from('10.1.2.3', headers)), 'a1-B2_c.d:e/f+g=');
  assert.equal(givenId(from('::ffff:10.1.2.3', headers)), 'a1-B2_c.d:e/f+g=');
  assert.equal(givenId(from('::1', headers)), 'a1-B2_c.d:e/f+g=');
  assert.equal(givenId(from('11.1.2.3', headers)), null);
  assert.equal(createSender(null).givenId(from('10.1.2.3', headers)), null);
});

test('an id that is missing, too long or has other characters is not accepted', () => {
  const { givenId } = createSender('10.0.0.0/8');
  const give = (id: string | string[]) => givenId(from('10.0.0.1', { 'x-request-id': id }));
  assert.equal(give('x'.repeat(128)), 'x'.repeat(128));
  for (const id of ['', 'x'.repeat(129), 'a b', 'a\nb', 'ä', 'a"b', ['a', 'b']]) {
    assert.equal(give(id), null, JSON.stringify(id));
  }
  assert.equal(givenId(from('10.0.0.1', {})), null);
});

test('the address is that of the first client that is no trusted proxy', () => {
  const headers = { 'x-forwarded-for': '1.1.1.1, 2.2.2.2, 10.0.0.9' };
  assert.equal(createSender('10.0.0.0/8').addressOf(from('10.0.0.1', headers)), '2.2.2.2');
  assert.equal(createSender(null).addressOf(from('10.0.0.1', headers)), '10.0.0.1');
  assert.equal(createSender('10.0.0.0/8').addressOf(from('3.3.3.3', headers)), '3.3.3.3');
});
