// Judges what a failed renewal means for the refresh token.
import { codeOf } from '@svc/contracts/caught';
import { ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';

/** `unspent`: the provider has not used the token. `refused`: it is not valid. `unknown`: it may have been used. */
export type Fate = 'unspent' | 'refused' | 'unknown';

/** Codes of connections that were never open, so no request was sent. */
const NEVER_OPEN = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];
/** Statuses of servers that have not handled the request (RFC 6585, 4; RFC 9110, 15.6.4). */
const NOT_HANDLED = [429, 503];

/** Judges the error that ended a request with a refresh token: of the network, or of `oauth4webapi` for an answer. */
export function judgeFailure(error: unknown): Fate {
  const status = statusOf(error);
  if (status !== null) {
    if (NOT_HANDLED.includes(status)) return 'unspent';
    return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'unknown';
  }
  const cause = error instanceof Error ? error.cause : null;
  return NEVER_OPEN.includes(codeOf(cause)) ? 'unspent' : 'unknown';
}

/**
 * Whether a token endpoint rejected the store itself, not what it sent (RFC 6749, 5.2). Some providers answer
 * `unauthorized_client` for a wrong secret.
 */
export function isClientRejected(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return error.status === 401;
  const code = error instanceof ResponseBodyError ? error.error : '';
  return code === 'invalid_client' || code === 'unauthorized_client';
}

/** The status of the answer that the error is about; null if there was no answer. */
function statusOf(error: unknown): number | null {
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    return error.status;
  }
  return error instanceof Error && error.cause instanceof Response ? error.cause.status : null;
}
