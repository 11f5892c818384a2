// Creates errors with a code from the contract.
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { ApiError, type Failure, failureOf } from '@svc/serve';

/** Seconds after which a client may repeat a request that failed for a reason that passes. */
const RETRY_SECONDS: Readonly<Record<string, string>> = {
  unavailable: '2',
  change_interrupted: '1',
  hook_failed: '30',
};

const withCode: Failure<PlatformErrorCode> = failureOf(PLATFORM_ERRORS);

/**
 * Creates an error that the server answers with the code's status, the message, and the details if there are any. Answers
 * with a code of `RETRY_SECONDS` have the header `Retry-After`.
 */
export const failure: Failure<PlatformErrorCode> = (code, message, parts = {}) => {
  const seconds = RETRY_SECONDS[code];
  if (seconds === undefined) return withCode(code, message, parts);
  const headers = { 'Retry-After': seconds, ...parts.headers };
  return withCode(code, message, { ...parts, headers });
};

/**
 * Returns whether background work failed for a reason that passes, so that it is only repeated: an outage, which is logged
 * where it is noticed, or a lock of another process.
 */
export function isPassing(error: unknown): boolean {
  return isBusy(error) || (error instanceof ApiError && error.code === 'unavailable');
}

/** Returns whether work failed because another process holds a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'busy';
}
