import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitFragment, tokenIn } from './token.ts';

test('splitFragment takes the token out and keeps the rest of the address', () => {
  assert.deepEqual(splitFragment('#token=abc-_1'), { token: 'abc-_1', rest: '' });
  assert.deepEqual(splitFragment('#view=stacks&token=x&q=a'), {
    token: 'x',
    rest: '#view=stacks&q=a',
  });
  assert.deepEqual(splitFragment('#view=stacks'), { token: null, rest: '#view=stacks' });
  assert.deepEqual(splitFragment(''), { token: null, rest: '' });
});

test('tokenIn finds a token in an address, a fragment or by itself', () => {
  const token = 'A1b2C3d4E5f6G7h8I9j0-_xyzABCDEFGHIJKLMNOPQR';
  assert.equal(tokenIn(` http://127.0.0.1:6767/#token=${token}\n`), token);
  assert.equal(tokenIn(`#token=${token}`), token);
  assert.equal(tokenIn(token), token);
  assert.equal(tokenIn('hello world'), null);
});
