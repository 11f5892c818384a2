// The answers that `/play` and `/media` share. Both are answered before Fastify, so they write errors themselves.
import { isPlatformErrorCode } from '@svc/contracts/platform';
import type { Exchange, Refusals } from '@svc/delivery';
import { errorFields, type Log } from '@svc/observe';
import { ApiError } from '@svc/serve';
import { MissingFileError } from '../files/storage-error.ts';

/** Answers a request if it is for this feature. Returns whether it is. */
export type AnswerExchange = (exchange: Exchange) => boolean;

/** One kind of files. */
type FileKind = {
  readonly name: 'play' | 'media';
  readonly refusals: Refusals;
  readonly log: Log;
};

/**
 * Answers a request whose work threw an error: an error of the contract by its code, a missing file by 404, because it was
 * removed during the request, and any other error by 500.
 */
export type AnswerFailure = (exchange: Exchange, error: unknown) => void;

export function createFailureAnswer({ name, refusals, log }: FileKind): AnswerFailure {
  return (exchange, error) => {
    if (error instanceof ApiError && isPlatformErrorCode(error.code)) {
      const extra = Object.entries(error.parts.headers ?? {}).flat();
      if (exchange.response.headersSent) exchange.response.destroy();
      else refusals.refuse(exchange, error.code, error.message, extra);
      return;
    }
    const isGone = error instanceof MissingFileError;
    if (!isGone) {
      log.error(`a request for ${name} failed`, {
        ...errorFields(error),
        request_id: exchange.requestId,
      });
    }
    if (exchange.response.headersSent) exchange.response.destroy();
    else if (isGone) refusals.refuseMissing(exchange);
    else refusals.refuse(exchange, 'internal', 'Cannot answer: the service failed');
  };
}
