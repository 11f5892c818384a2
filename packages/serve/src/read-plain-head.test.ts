import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPlainHead } from './read-plain-head.ts';

const read = (...lines: string[]) =>
  readPlainHead(Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1'));

test('readPlainHead reads the address and the headers of a plain request', () => {
  const request = read(
    'GET /play/a/b%20c?d=1 HTTP/1.1',
    'Host: x:1',
    'ACCEPT-Encoding:\t gzip, br ',
    'Empty:',
    'connection: Keep-Alive',
    '',
  );
  assert.equal(request?.url, '/play/a/b%20c?d=1');
  assert.deepEqual(
    [...(request?.headers ?? [])],
    [
      ['host', 'x:1'],
      ['accept-encoding', 'gzip, br'],
      ['empty', ''],
      ['connection', 'Keep-Alive'],
    ],
  );
  assert.equal(read('GET / HTTP/1.1', 'Host: [::1]', '')?.headers.size, 1);
});

test('readPlainHead leaves all else to Node', () => {
  const line = 'GET / HTTP/1.1';
  const rows: string[][] = [
    ['HEAD / HTTP/1.1', ''],
    ['get / HTTP/1.1', ''],
    ['POST / HTTP/1.1', ''],
    ['GET / HTTP/1.0', ''],
    ['GET  / HTTP/1.1', ''],
    ['GET x HTTP/1.1', ''],
    ['GET http://x/ HTTP/1.1', ''],
    ['GET /ü HTTP/1.1', ''],
    ['GET /\0 HTTP/1.1', ''],
    [line],
    [line, 'A: x'],
    [line, '', ''],
    [line, '', line, ''],
    [line, 'Host x', ''],
    [line, ': x', ''],
    [line, 'Host : x', ''],
    [line, ' Host: x', ''],
    [line, 'A: x', ' folded', ''],
    [line, 'A: x\ry', ''],
    [line, 'A: x\ny', ''],
    [line, 'A: x\0y', ''],
    [line, 'A: ü', ''],
    [line, 'host: x', ''],
    [line, 'A: x', 'a: y', ''],
    [line, 'Connection: close', ''],
    [line, 'Connection: keep-alive, upgrade', ''],
    [line, 'Content-Length: 0', ''],
    [line, 'Content-Length: 5', ''],
    [line, 'Transfer-Encoding: chunked', ''],
    [line, 'Transfer-Encoding:', ''],
    [line, 'Upgrade: websocket', ''],
    [line, 'Expect: 100-continue', ''],
    [line, `A: ${'x'.repeat(9_000)}`, ''],
  ];
  for (const [first = '', ...rest] of rows) {
    const lines = [first, 'Host: x', ...rest];
    assert.equal(read(...lines), null, JSON.stringify(lines).slice(0, 80));
  }
  for (const host of [[], ['Host:'], ['Host: a b'], ['Host: a, b'], ['Host: a/b'], ['Host: a@b']]) {
    assert.equal(read(line, ...host, ''), null, String(host));
  }
  assert.equal(readPlainHead(Buffer.from('GET / HTTP/1.1\n\n')), null);
  assert.equal(readPlainHead(Buffer.from('\r\nGET / HTTP/1.1\r\n\r\n')), null);
  assert.equal(readPlainHead(Buffer.alloc(0)), null);
});

test('readPlainHead reads a head of up to 8 KiB', () => {
  const head = (length: number): Buffer => {
    const [start, end] = ['GET / HTTP/1.1\r\nHost: x\r\nA: ', '\r\n\r\n'];
    return Buffer.from(start + 'x'.repeat(length - start.length - end.length) + end);
  };
  assert.equal(readPlainHead(head(8 * 1024))?.headers.get('a')?.length, 8 * 1024 - 32);
  assert.equal(readPlainHead(head(8 * 1024 + 1)), null);
});

test('readPlainHead takes each form of a host, with a port or without', () => {
  const hosts = ['x', 'a.example', 'a.example:', 'a.example:80', 'A-1_b~!$', '[::1]', '[::1]:80'];
  for (const host of hosts) {
    assert.equal(read('GET / HTTP/1.1', `Host: ${host}`, '')?.headers.get('host'), host);
  }
  for (const host of ['::1', '[::1', '[]', 'a:80:80', 'a:x', 'a?b', 'a#b', 'a\\b', '"a"']) {
    assert.equal(read('GET / HTTP/1.1', `Host: ${host}`, ''), null, host);
  }
});
