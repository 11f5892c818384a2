// Expects a call to fail with a code, and checks the answer against the contract.
import assert from 'node:assert/strict';
import {
  isPlatformErrorCode,
  PLATFORM_ERRORS,
  PlatformError,
  type PlatformErrorCode,
} from '@svc/contracts/platform';

/** Expects the call to be rejected with this code and its status. */
export async function expectError(
  call: Promise<unknown>,
  code: PlatformErrorCode,
): Promise<PlatformError> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if ('answer' in outcome) assert.fail(`expected ${code}, got ${JSON.stringify(outcome.answer)}`);
  const { error } = outcome;
  if (!(error instanceof PlatformError)) throw error;
  assert.equal(error.code, code, `${error.code}: ${error.message}`);
  assert.equal(error.status, PLATFORM_ERRORS[code].status);
  assert.notEqual(error.requestId, null);
  return error;
}

/** Checks the error envelope of a raw answer and returns its code. */
export async function readErrorCode(answer: Response): Promise<PlatformErrorCode> {
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.ok(answer.headers.get('x-request-id'), 'an answer without X-Request-Id');
  const body = (await answer.json()) as { error: { code: string; message: string } };
  assert.deepEqual(Object.keys(body), ['error']);
  assert.equal(typeof body.error.message, 'string');
  if (!isPlatformErrorCode(body.error.code)) assert.fail(`no such code: ${body.error.code}`);
  assert.equal(answer.status, PLATFORM_ERRORS[body.error.code].status);
  assert.equal(answer.headers.get('www-authenticate'), answer.status === 401 ? 'Bearer' : null);
  return body.error.code;
}
