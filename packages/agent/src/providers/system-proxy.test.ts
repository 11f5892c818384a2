import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSystemProxy } from './system-proxy.ts';

const find = (env: Record<string, string>) => findSystemProxy(env, (reason) => new Error(reason));

test('findSystemProxy prefers the variable in small letters, and adds a scheme that is missing', () => {
  const variables = { https_proxy: ' proxy.example:3128 ', HTTPS_PROXY: 'http://other.example' };
  assert.deepEqual(find({ ...variables, no_proxy: 'a.example' }), {
    variable: 'https_proxy',
    settings: { https_proxy: 'http://proxy.example:3128', no_proxy: 'a.example' },
  });
  assert.deepEqual(find({ ...variables, https_proxy: ' ', NO_PROXY: 'b.example' }), {
    variable: 'HTTPS_PROXY',
    settings: { https_proxy: 'http://other.example', no_proxy: 'b.example' },
  });
  assert.equal(
    find({ https_proxy: 'https://proxy.example' })?.settings['https_proxy'],
    'https://proxy.example',
  );
});

test('findSystemProxy returns null if no variable is set', () => {
  assert.equal(find({}), null);
  assert.equal(find({ https_proxy: '', HTTPS_PROXY: '  ', http_proxy: 'http://x' }), null);
});

test('findSystemProxy rejects text that is no address, and other kinds of proxies', () => {
  const noAddress = /^Error: https_proxy does not contain the address of a proxy\. .*:3128$/;
  for (const text of ['http://', 'two words', 'file:///etc/proxy']) {
    assert.throws(() => find({ https_proxy: text }), noAddress, text);
  }
  const scheme = /^Error: HTTPS_PROXY names a proxy with the scheme "socks5:", which is not supp/;
  assert.throws(() => find({ HTTPS_PROXY: 'socks5://proxy.example' }), scheme);
});
