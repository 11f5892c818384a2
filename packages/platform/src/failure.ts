// Creates errors with a code from the contract.
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { ApiError, type ErrorParts } from '@svc/serve';

/** Creates an error that the server answers with the code's status, the message, and the details if there are any. */
export function failure(
  code: PlatformErrorCode,
  message: string,
  parts: ErrorParts = {},
): ApiError<PlatformErrorCode> {
  if (PLATFORM_ERRORS[code].status !== 401) return new ApiError(code, message, parts);
  // A 401 names the accepted authentication scheme (RFC 9110, 15.5.2).
  return new ApiError(code, message, {
    ...parts,
    headers: { 'WWW-Authenticate': 'Bearer', ...parts.headers },
  });
}
