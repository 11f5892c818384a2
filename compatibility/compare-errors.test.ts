import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareErrors } from './compare-errors.ts';

const CODES = { busy: { status: 503, exit: 10 }, no_trace: { status: 404 } };

test('compareErrors: the same codes, and new ones', () => {
  assert.deepEqual(compareErrors(CODES, { ...CODES, more: { status: 400 } }), []);
});

test('compareErrors: a code is gone, or has another status or exit code', () => {
  assert.deepEqual(compareErrors(CODES, { busy: { status: 500, exit: 11 } }), [
    { where: 'error busy', what: 'has the status 500, not 503' },
    { where: 'error busy', what: 'leads to the exit code 11, not 10' },
    { where: 'error no_trace', what: 'is gone' },
  ]);
});
