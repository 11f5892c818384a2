// The proxy for each address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExitError } from '../process/exit-codes.ts';
import { findProxy } from './proxy.ts';

const origin = (address: string, env: Record<string, string>): string | null =>
  findProxy(new URL(address), env)?.origin ?? null;

test('findProxy uses the variable of the address’s scheme, and prefers the lower-case name', () => {
  const env = { HTTPS_PROXY: 'http://a:1', https_proxy: 'b.example:3128', HTTP_PROXY: 'http://c' };
  assert.equal(origin('https://x.example', env), 'http://b.example:3128');
  assert.equal(origin('http://x.example', env), 'http://c');
  assert.equal(origin('https://x.example', { HTTPS_PROXY: ' ' }), null);
  assert.equal(origin('https://x.example', { HTTP_PROXY: 'http://c' }), null);
});

test('findProxy returns no proxy for this machine', () => {
  const env = { HTTPS_PROXY: 'http://a:1', HTTP_PROXY: 'http://a:1' };
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
    assert.equal(origin(`https://${host}:8443`, env), null, host);
    assert.equal(origin(`http://${host}`, env), null, host);
  }
  assert.equal(origin('http://game.localhost:8080', env), null);
  assert.equal(origin('http://localhost.example', env), 'http://a:1');
});

test('findProxy respects NO_PROXY: names with their subdomains, ports, addresses, networks, and all hosts', () => {
  const cases: [string, string, boolean][] = [
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://api.example.com', true],
    ['.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://api.example.com', true],
    ['EXAMPLE.com', 'https://api.Example.COM', true],
    ['example.com', 'https://badexample.com', false],
    ['a.test, api.example.com b.test', 'https://api.example.com', true],
    ['example.com:8443', 'https://example.com:8443', true],
    ['example.com:443', 'https://example.com', true],
    ['example.com:8443', 'https://example.com', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['2.3', 'https://10.1.2.3', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['[fd00::1]', 'https://[fd00::1]', true],
    ['[fd00::1]:8443', 'https://[fd00::1]', false],
    ['example.com:80', 'http://example.com', true],
    ['example.com:443', 'http://example.com', false],
    ['10.1.2.3/32', 'https://10.1.2.3', true],
    ['10.1.2.3/32', 'https://10.1.2.4', false],
    ['10.1.2.3/33', 'https://10.1.2.3', false],
    ['0.0.0.0/0', 'https://10.1.2.3', true],
    ['0.0.0.0/0', 'https://[fd00::1]', false],
    ['0.0.0.0/0', 'https://example.com', false],
    ['fd00::1/128', 'https://[fd00::1]', true],
    ['fd00::1/128', 'https://[fd00::2]', false],
    ['fd00::1/129', 'https://[fd00::1]', false],
    ['10.0.0.0/', 'https://10.1.2.3', false],
    ['example.com/8', 'https://example.com', false],
    ['*', 'https://example.com', true],
    ['', 'https://example.com', false],
  ];
  for (const [list, address, direct] of cases) {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const proxies = { HTTPS_PROXY: 'http://a:1', HTTP_PROXY: 'http://a:1' };
      const found = origin(address, { ...proxies, [name]: list });
      assert.equal(found === null, direct, `${name}=${list} ${address}`);
    }
  }
});

test('findProxy prefers no_proxy to NO_PROXY, and treats an empty variable as unset', () => {
  const direct = (env: Record<string, string>): boolean =>
    origin('https://a.test', { HTTPS_PROXY: 'http://p:1', ...env }) === null;
  assert.ok(direct({ no_proxy: 'a.test', NO_PROXY: 'b.test' }));
  assert.ok(!direct({ no_proxy: 'b.test', NO_PROXY: 'a.test' }));
  assert.ok(direct({ no_proxy: '', NO_PROXY: 'a.test' }));
});

test('findProxy separates user name and password from the address', () => {
  const found = (value: string) => findProxy(new URL('http://x.example'), { http_proxy: value });
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
  const rows: [value: string, origin: string, pair: string | null][] = [
    [' http://p.test:3128 ', 'http://p.test:3128', null],
    [' p.test:3128 ', 'http://p.test:3128', null],
    ['https://p.test', 'https://p.test', null],
    ['http://ada:s%40crecy@p.test:1', 'http://p.test:1', 'ada:s@crecy'],
    ['ada:%C3%BC@p.test:1', 'http://p.test:1', 'ada:ü'],
    ['http://ada@p.test', 'http://p.test', 'ada:'],
    ['http://:secret@p.test', 'http://p.test', ':secret'],
  ];
  for (const [value, origin, pair] of rows) {
    const authorization = pair === null ? null : basic(pair);
    assert.deepEqual(found(value), { origin, variable: 'http_proxy', authorization }, value);
  }
  assert.throws(
    () => found('http://ada:100%@p.test'),
    (error) => {
      assert.ok(error instanceof ExitError);
      assert.equal(error.exitCode, 2);
      assert.match(error.message, /in http_proxy cannot be decoded\.$/);
      return !error.message.includes('100');
    },
  );
});

test('findProxy rejects a value that is not an HTTP proxy, and names the variable without the password', () => {
  for (const value of ['socks5://u:secret@x:1', 'http://', 'http://u:secret@x:99999']) {
    assert.throws(
      () => findProxy(new URL('https://x.example'), { HTTPS_PROXY: value }),
      (error: Error) => /HTTPS_PROXY/.test(error.message) && !/secret/.test(error.message),
    );
  }
});
