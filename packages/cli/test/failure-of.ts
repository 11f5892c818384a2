// What a call refuses with.
import assert from 'node:assert/strict';
import { Failure } from '../src/process/exit-codes.ts';

/** The Failure that `work` throws. Fails the test where it throws anything else or nothing. */
export function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error;
  }
  assert.fail('It did not fail');
}
