// What a call refuses with.
import assert from 'node:assert/strict';
import { ExitError } from '../src/process/exit-codes.ts';

/** The ExitError that `work` throws. Fails the test where it throws anything else or nothing. */
export function thrownBy(work: () => unknown): ExitError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ExitError, String(error));
    return error;
  }
  assert.fail('It did not fail');
}
