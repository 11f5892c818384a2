// The error that a call throws.
import assert from 'node:assert/strict';
import { ExitError } from '../src/process/exit-codes.ts';

/** The ExitError that `work` throws. Fails the test if it throws another error or none. */
export function thrownBy(work: () => unknown): ExitError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ExitError, String(error));
    return error;
  }
  assert.fail('It did not fail');
}
