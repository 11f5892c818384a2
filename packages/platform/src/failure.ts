// Creates errors with a code from the contract.
import { PLATFORM_ERRORS, type PlatformErrorCode } from '@svc/contracts/platform';
import { type Failure, failureOf } from '@svc/serve';

/** Creates an error that the server answers with the code's status, the message, and the details if there are any. */
export const failure: Failure<PlatformErrorCode> = failureOf(PLATFORM_ERRORS);
