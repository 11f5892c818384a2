// Errors of an import that several of its parts throw.
import type { ApiError } from '@svc/serve';
import { failure } from '../failure.ts';
import { IMPORT_TOO_SLOW } from './arrival.ts';

/** The error for a trace over the limit. The message names the limit. */
export function tooLarge(limitBytes: number): ApiError {
  return failure(
    'trace_too_large',
    `Cannot import the trace: it is larger than ${limitBytes} bytes, the limit that --import-limit sets`,
  );
}

/** The error when the time of the request is up. */
export function tooSlow(): ApiError {
  return failure('request_timeout', IMPORT_TOO_SLOW);
}
