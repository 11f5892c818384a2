// The one way to fail with a code of the contract's table.
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { ApiError, type ErrorParts } from '@svc/serve';

/** An error that is answered with the code's status and the message, and with the details where there are some. */
export function failure(
  code: PlatformErrorCode,
  message: string,
  parts: ErrorParts = {},
): ApiError<PlatformErrorCode> {
  if (PLATFORM_ERRORS[code].status !== 401) return new ApiError(code, message, parts);
  // RFC 9110, 15.5.2: a 401 says which credential is taken.
  return new ApiError(code, message, {
    ...parts,
    headers: { 'WWW-Authenticate': 'Bearer', ...parts.headers },
  });
}
