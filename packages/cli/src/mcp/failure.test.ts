// The answer to a call that failed: refusals in full, other errors without their message.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { failure } from './failure.ts';

test('the message of a refusal is the answer, and is not reported', () => {
  const reported: unknown[] = [];
  const error = new ExitError(EXIT.unexpected, 'not_found', 'Cannot read "a\u001b": no.');
  const { isError, content } = failure(error, (one) => reported.push(one));
  assert.deepEqual(
    [isError, content],
    [true, [{ type: 'text', text: 'Cannot read "a\\x1b": no.' }]],
  );
  assert.deepEqual(reported, []);
});

test('an unexpected error is reported, and its message, which may have a path, is not in the answer', () => {
  const reported: unknown[] = [];
  const error = new Error("EMFILE: too many open files, open '/home/ann/game.vpt'");
  const { isError, content } = failure(error, (one) => reported.push(one));
  const text = JSON.stringify(content);
  assert.equal(isError, true);
  assert.match(text, /svc failed unexpectedly\. The reason is on the standard error/);
  assert.doesNotMatch(text, /ann|EMFILE/);
  assert.deepEqual(reported, [error]);
});
