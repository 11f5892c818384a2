// Which addresses a token may be sent to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../exit-codes.ts';
import { normalizeApi, readEnvironment } from './api-address.ts';

test('normalizeApi gives an address one spelling', () => {
  const rows = [
    ['https://api.example.com', 'https://api.example.com'],
    ['https://API.Example.com:443/', 'https://api.example.com'],
    ['https://api.example.com/v2//', 'https://api.example.com/v2'],
    ['https://api.example.com:8443/a/b', 'https://api.example.com:8443/a/b'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://localhost:1', 'http://localhost:1'],
    ['HTTP://LOCALHOST', 'http://localhost'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://[0:0::1]', 'http://[::1]'],
  ] as const;
  for (const [text, expected] of rows) assert.equal(normalizeApi(text, '--api'), expected, text);
});

function refused(text: string, message: RegExp): void {
  assert.throws(
    () => normalizeApi(text, 'SVC_API'),
    (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.exitCode, 2);
      assert.match(error.message, /^SVC_API /);
      assert.match(error.message, message);
      return true;
    },
    text,
  );
}

test('normalizeApi takes http: for this machine only, and for no name that resembles it', () => {
  for (const host of [
    'api.example.com',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example.localhost',
    'notlocalhost',
    '126.0.0.1',
    '128.0.0.1',
    '1.127.0.0',
    '0.0.0.0',
    '10.0.0.1',
    '[::2]',
    '[::]',
    '[::ffff:7f00:1]',
    'evil.example:127',
    'evil.example/127.0.0.1',
  ]) {
    refused(`http://${host}`, /http: would send your token in clear/);
    assert.doesNotThrow(() => normalizeApi(`https://${host}`, 'SVC_API'));
  }
});

test('normalizeApi refuses what is no address, and one with a user name, a password, a query or a fragment', () => {
  for (const text of [
    '',
    'nonsense',
    'api.example.com',
    'ftp://x',
    'file:///x',
    'ws://localhost',
  ]) {
    refused(text, /is not an address/);
  }
  for (const text of [
    'u@x.example',
    'u:p@x.example',
    ':p@x.example',
    'x.example/?a',
    'x.example#a',
  ]) {
    refused(`https://${text}`, /must hold no user name, query or fragment/);
  }
  refused('http://localhost@evil.example', /must hold no user name/);
});

test('readEnvironment takes an empty variable for none', () => {
  const nothing = { api: null, token: null };
  assert.deepEqual(readEnvironment({}), nothing);
  assert.deepEqual(readEnvironment({ SVC_API: ' ', SVC_TOKEN: '\n' }), nothing);
  assert.deepEqual(readEnvironment({ SVC_API: ' https://x.example/ ', SVC_TOKEN: ' t\n' }), {
    api: 'https://x.example',
    token: 't',
  });
  assert.throws(() => readEnvironment({ SVC_API: 'x' }), /SVC_API is not an address/);
});
