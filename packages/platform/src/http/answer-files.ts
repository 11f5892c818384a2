// The answers that `/play` and `/media` share. Both are answered before Fastify, so they write errors themselves.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isPlatformErrorCode,
  PLATFORM_ERRORS,
  type PlatformErrorCode,
} from '@svc/contracts/platform';
import { ApiError } from '@svc/serve';
import { MissingFileError } from '../files/storage-error.ts';

/** A request before Fastify, with the response and the id of the request. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
};

/** Answers a request if it is for this feature. Returns whether it is. */
export type AnswerExchange = (exchange: Exchange) => boolean;

/** One kind of files. `policy` lists the names and values of the headers of every answer. */
type FileKind = {
  readonly name: 'play' | 'media';
  readonly policy: readonly string[];
  /** The message for a missing file. */
  readonly missing: string;
  readonly log: (line: string) => void;
};

/** Each method but `fail` returns true, for "answered". */
type FileAnswers = {
  refuseMissing(exchange: Exchange): true;
  refuseMethod(exchange: Exchange): true;
  /** Answers 416 for a file of this size in bytes. */
  refuseRange(exchange: Exchange, bytes: number): true;
  /**
   * Answers a request whose work threw an error: an error of the contract by its code, a missing file by 404, because it was
   * removed during the request, and any other error by 500.
   */
  fail(exchange: Exchange, error: unknown): void;
};

/** Returns whether files can be requested with this method. */
export function isReadMethod({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function createFileAnswers({ name, policy, missing, log }: FileKind): FileAnswers {
  const refuse = (
    { response, requestId }: Exchange,
    code: PlatformErrorCode,
    message: string,
    extra: readonly string[] = [],
  ): true => {
    const body = Buffer.from(JSON.stringify({ error: { code, message } }));
    response.writeHead(PLATFORM_ERRORS[code].status, [
      ...['X-Request-Id', requestId, ...policy, ...extra, 'Cache-Control', 'no-store'],
      ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)],
    ]);
    response.end(body);
    return true;
  };
  const refuseMissing = (exchange: Exchange): true => refuse(exchange, 'not_found', missing);
  return {
    refuseMissing,
    refuseMethod(exchange) {
      const message = 'Cannot use this method here: see Allow';
      return refuse(exchange, 'method_not_allowed', message, ['Allow', 'GET, HEAD']);
    },
    refuseRange(exchange, bytes) {
      const message = `Cannot send this range of ${bytes} bytes`;
      const range = ['Content-Range', `bytes */${bytes}`];
      return refuse(exchange, 'range_not_satisfiable', message, range);
    },
    fail(exchange, error) {
      if (error instanceof ApiError && isPlatformErrorCode(error.code)) {
        const extra = Object.entries(error.parts.headers ?? {}).flat();
        if (exchange.response.headersSent) exchange.response.destroy();
        else refuse(exchange, error.code, error.message, extra);
        return;
      }
      const isGone = error instanceof MissingFileError;
      if (!isGone) {
        log(`internal: ${name}: ${error instanceof Error ? error.stack : String(error)}`);
      }
      if (exchange.response.headersSent) exchange.response.destroy();
      else if (isGone) refuseMissing(exchange);
      else refuse(exchange, 'internal', 'Cannot answer: the service failed');
    },
  };
}
