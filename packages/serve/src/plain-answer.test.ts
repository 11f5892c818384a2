import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlainAnswer, plainAnswerBytes } from './plain-answer.ts';

const STAMP = 'Sat, 21 Nov 2026 00:00:00 GMT\r\nX-Request-Id: 0123456789ab-00000001'.length;

test('makePlainAnswer writes the head with room for the date and the id, and the body behind it', () => {
  const answer = makePlainAnswer(200, ['A', 'x', 'B', 'y'], Buffer.from('body'));
  const start = 'HTTP/1.1 200 OK\r\nDate: ';
  const end = '\r\nA: x\r\nB: y\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72\r\n\r\nbody';
  assert.equal(answer.block.toString('latin1'), start + ' '.repeat(STAMP) + end);
  assert.equal(answer.stampAt, start.length);
  assert.equal(answer.body, null);
  assert.equal(plainAnswerBytes(answer), answer.block.length);
});

test('makePlainAnswer leaves the body out of a 304, and a large one out of the block', () => {
  const unchanged = makePlainAnswer(304, ['ETag', '"x"'], null);
  assert.match(
    unchanged.block.toString('latin1'),
    /^HTTP\/1\.1 304 Not Modified\r\n[\s\S]*\r\n\r\n$/,
  );
  assert.equal(unchanged.body, null);
  const body = Buffer.alloc(64 * 1024 + 1);
  const large = makePlainAnswer(200, [], body);
  assert.equal(large.body, body);
  assert.match(large.block.toString('latin1'), /\r\n\r\n$/);
  assert.equal(plainAnswerBytes(large), large.block.length + body.length);
});
