// Creates errors with a code from the platform's contract. The site sends them as pages.
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { type Failure, failureOf } from '@svc/serve';

/** Creates an error with the status of its code. */
export const failure: Failure<PlatformErrorCode> = failureOf(PLATFORM_ERRORS);
