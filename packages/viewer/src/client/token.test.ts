import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from '../../test/stand-in-page.ts';
import { splitFragment, takeToken, tokenIn } from './token.ts';

test('splitFragment removes the token and keeps the rest of the address', () => {
  assert.deepEqual(splitFragment('#token=abc-_1'), { token: 'abc-_1', rest: '' });
  assert.deepEqual(splitFragment('#view=stacks&token=x&q=a'), {
    token: 'x',
    rest: '#view=stacks&q=a',
  });
  assert.deepEqual(splitFragment('#view=stacks'), { token: null, rest: '#view=stacks' });
  assert.deepEqual(splitFragment(''), { token: null, rest: '' });
});

test('splitFragment returns null for an invalid token', () => {
  for (const fragment of ['#token=', '#token=%', '#token=a%20b', '#token=a b', '#token=a,b']) {
    assert.deepEqual(splitFragment(fragment), { token: null, rest: '' }, fragment);
  }
});

test('tokenIn finds a token in an address, a fragment or by itself', () => {
  const token = 'A1b2C3d4E5f6G7h8I9j0-_xyzABCDEFGHIJKLMNOPQR';
  assert.equal(tokenIn(` http://127.0.0.1:6767/#token=${token}\n`), token);
  assert.equal(tokenIn(`#token=${token}`), token);
  assert.equal(tokenIn(token), token);
  assert.equal(tokenIn('hello world'), null);
});

test('tokenIn accepts a bare token only if it is long enough', () => {
  assert.equal(tokenIn('a'.repeat(19)), null);
  assert.equal(tokenIn('a'.repeat(20)), 'a'.repeat(20));
  assert.equal(tokenIn(`${'a'.repeat(20)} and more`), null);
});

test('takeToken removes the token from the address bar and stores it for this tab only', () => {
  assert.equal(takeToken(), null);
  page.location.pathname = '/index.html';
  page.location.search = '?a=1';
  page.location.hash = '#token=abc-_1&view=stacks';
  assert.equal(takeToken(), 'abc-_1');
  assert.deepEqual(page.replaced, ['/index.html?a=1#view=stacks']);
  assert.deepEqual([...page.sessionStorage.items.values()], ['abc-_1']);
  assert.equal(page.localStorage.items.size, 0);
  assert.equal(takeToken(), 'abc-_1', 'after a reload');
  assert.equal(page.replaced.length, 1);
  page.location.hash = '#token=new';
  assert.equal(takeToken(), 'new');
  assert.equal(takeToken(), 'new');
  assert.equal(page.location.hash, '');
});
